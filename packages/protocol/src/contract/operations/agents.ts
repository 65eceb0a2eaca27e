import { z } from 'zod';
import { DIGITAL_LEG_STATUSES } from '../statuses.js';
import { AGENT_ORDERS, agentProfile, agentView, listedAgent, queuedLeg, reputation } from '../resources/agent.js';
import { inAsset, units } from '../amounts.js';
import { address, pageQuery, text, transactionBase64, visibleText, walletPubkey } from '../schemas.js';
import { EXAMPLE_KEY } from './examples.js';
import { operation } from './operation.js';

const agentParams = z.strictObject({ agentPubkey: address });
const displayName = visibleText(80);
const capabilities = z.array(visibleText(40)).max(20);

const registration = z.strictObject({
  registered: z.literal(true),
  agentPubkey: address,
  airdrop: z.strictObject({
    status: z.enum(['sent', 'skipped', 'failed']),
    signature: z.string().nullable(),
    reason: z.string().nullable(),
  }),
  tokens: z
    .array(z.strictObject({ ...inAsset, amount: units, signature: z.string() }))
    .default([])
    .meta({ description: 'test tokens that came with the airdrop' }),
  systemPrompt: z.string().meta({ description: 'instructions for a model that acts as this agent' }),
  configSnippets: z
    .strictObject({ claudeCode: z.string(), cursor: z.string() })
    .meta({ description: 'how two host applications are pointed at this service' }),
});

export const registerAgent = operation({
  name: 'registerAgent',
  tag: 'agents',
  summary: 'Register a wallet as an agent',
  description:
    'Registers the wallet and asks the faucet of the network for 1 SOL, at most once in 24 hours per wallet. ' +
    'A refused airdrop never fails the registration. Registering again updates the name and the capabilities given, ' +
    'unless a signed call set them.',
  auth: 'signable',
  method: 'POST',
  path: '/agents',
  body: z.strictObject({
    agentPubkey: walletPubkey,
    displayName: displayName.optional(),
    capabilities: capabilities.optional(),
  }),
  answer: registration,
  tool: {
    name: 'svc_register_agent',
    title: 'Register an agent',
    description:
      'Registers a Solana devnet wallet as an agent and asks the faucet for 1 SOL (once in 24 hours per wallet). ' +
      'Call it once, first. Answers a system prompt for carrying packages and working on digital tasks, and configuration ' +
      'snippets for MCP hosts. Next: svc_list_packages with status "listed", or svc_list_digital_tasks with open true.',
    readOnly: false,
    idempotent: true,
    described: registration.omit({ tokens: true }),
    example: {
      agentPubkey: EXAMPLE_KEY,
      displayName: 'North courier',
      capabilities: ['delivery'],
    },
  },
});

export const listAgents = operation({
  name: 'listAgents',
  tag: 'agents',
  summary: 'List agents, in an order of your choice',
  description:
    'newest: agents that registered, the latest first. earned and recent: those that were paid, by how much and how lately. ' +
    'reliability and completed: those whose reputation the ledger holds, registered or not. Names and capabilities are as the ' +
    'agents gave them. getAgent shows one with its history.',
  method: 'GET',
  path: '/agents',
  query: z.strictObject({
    order: z.enum(AGENT_ORDERS).default('newest'),
    q: text(80)
      .min(1)
      .optional()
      .meta({ description: 'keeps those whose name, in any case, or whose address begins like this' }),
    ...pageQuery,
  }),
  answer: z.array(listedAgent),
  paged: true,
});

export const getAgent = operation({
  name: 'getAgent',
  tag: 'agents',
  summary: 'Read an agent with reputation, trust and history',
  description:
    'Also of a wallet that never registered, once it has bid or the ledger knows it. 404 not_found: nothing is known of it.',
  method: 'GET',
  path: '/agents/:agentPubkey',
  params: agentParams,
  answer: agentProfile,
});

export const listAgentLegs = operation({
  name: 'listAgentLegs',
  tag: 'agents',
  summary: "Read an agent's work queue",
  description:
    'The legs of the agent, physical and digital ones by kind, newest first. Of packages, pending is what is left to do: where ' +
    'isTurn is true the parcel is with this courier; a takeOverLegId is the leg it confirms when it takes the parcel over. Of ' +
    'digital tasks, pending is reserved and in_progress is to be done before dueAt.',
  method: 'GET',
  path: '/agents/:agentPubkey/legs',
  params: agentParams,
  query: z.strictObject({
    status: z
      .enum(DIGITAL_LEG_STATUSES)
      .optional()
      .meta({ description: 'pending leaves out legs of swarms that failed: nothing can be done about them' }),
    ...pageQuery,
  }),
  answer: z.array(queuedLeg),
  paged: true,
});

export const updateAgent = operation({
  name: 'updateAgent',
  tag: 'agents',
  summary: 'Change your own profile',
  description:
    'Sets what is given and leaves the rest. After a signed change, unsigned registrations no longer touch the profile, and ' +
    'bids, claims, releases and results in the name of this key need its signature; requireSignedCalls says so, or opens the ' +
    'key again to unsigned calls, where the service takes any.',
  auth: 'signed',
  method: 'PATCH',
  path: '/agents/:agentPubkey',
  params: z.strictObject({ agentPubkey: walletPubkey }),
  body: z
    .strictObject({
      displayName: displayName.nullable().optional(),
      capabilities: capabilities.optional(),
      requireSignedCalls: z.boolean().optional(),
    })
    .refine((body) => Object.values(body).some((value) => value !== undefined), {
      message: 'give at least one of displayName, capabilities, requireSignedCalls',
    }),
  example: { displayName: 'North courier', requireSignedCalls: true },
  answer: agentView,
});

export const getReputation = operation({
  name: 'getReputation',
  tag: 'agents',
  summary: "Read an agent's reputation",
  description: 'Legs accepted and completed and the reliability score of the on-chain reputation account, as mirrored.',
  method: 'GET',
  path: '/agents/:agentPubkey/reputation',
  params: agentParams,
  answer: reputation,
  tool: {
    name: 'svc_get_reputation',
    title: "Read an agent's reputation",
    description:
      'Legs accepted, legs completed and the reliability score, 0 to 100 = floor(completed / accepted * 100), of the ' +
      'on-chain reputation account onChainPDA. All zeros: the agent has no history.',
    readOnly: true,
    idempotent: true,
    example: { agentPubkey: EXAMPLE_KEY },
  },
});

export const buildOpenReputationTx = operation({
  name: 'buildOpenReputationTx',
  tag: 'agents',
  summary: "Build the transaction that opens an agent's reputation",
  description:
    "The reputation account costs rent, which somebody has to pay before the agent's first leg. Anybody may: payerPubkey signs and " +
    'pays, by default the agent itself. Sign and send it; the service sees it on the ledger. 409 invalid_status: the agent has one.',
  method: 'POST',
  path: '/agents/:agentPubkey/build-open-tx',
  refuses: ['invalid_status'],
  params: z.strictObject({ agentPubkey: walletPubkey }),
  body: z.strictObject({ payerPubkey: walletPubkey.optional() }),
  example: {},
  answer: z.strictObject({
    agentPubkey: address,
    signerPubkey: address.meta({ description: 'who has to sign, and pays the rent and the fee' }),
    transaction: transactionBase64.meta({ description: 'unsigned, base64' }),
    blockhash: z.string(),
    lastValidBlockHeight: z.int(),
  }),
});
