import { z } from 'zod';
import { address, text, timestamp, walletPubkey } from '../schemas.js';
import { operation } from './operation.js';

export const reputation = z.strictObject({
  agentPubkey: address,
  onChainPDA: address.meta({ description: 'the AgentReputation account' }),
  legsAccepted: z.int().min(0),
  legsCompleted: z.int().min(0),
  reliabilityScore: z
    .int()
    .min(0)
    .max(100)
    .meta({ description: 'floor(legsCompleted / legsAccepted * 100), 0 without history' }),
  mirroredAt: timestamp
    .nullable()
    .meta({ description: 'when the ledger was last read; null: it shows no such account' }),
});

export const registerAgent = operation({
  name: 'registerAgent',
  tag: 'agents',
  summary: 'Register a wallet as an agent',
  description:
    'Registers the wallet and asks the faucet of the network for 1 SOL, at most once in 24 hours per wallet. ' +
    'A refused airdrop never fails the registration. Registering again updates the name and the capabilities given.',
  method: 'POST',
  path: '/agents',
  body: z.strictObject({
    agentPubkey: walletPubkey,
    displayName: text(80).min(1).optional(),
    capabilities: z.array(text(40).min(1)).max(20).optional(),
  }),
  answer: z.strictObject({
    registered: z.literal(true),
    agentPubkey: address,
    airdrop: z.strictObject({
      status: z.enum(['sent', 'skipped', 'failed']),
      signature: z.string().nullable(),
      reason: z.string().nullable(),
    }),
  }),
});

export const getReputation = operation({
  name: 'getReputation',
  tag: 'agents',
  summary: "Read an agent's reputation",
  description: 'Legs accepted and completed and the reliability score of the on-chain reputation account, as mirrored.',
  method: 'GET',
  path: '/agents/:agentPubkey/reputation',
  params: z.strictObject({ agentPubkey: address }),
  answer: reputation,
});
