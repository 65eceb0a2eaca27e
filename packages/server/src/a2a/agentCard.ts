import { didOf, keyIdOf } from '@legwork/protocol/contract';
import { canonicalJson } from '@legwork/protocol/rules';
import { FlattenedSign } from 'jose';
import type { AppContext } from '../context.js';
import { securitySchemes } from '../http/openApi.js';
import { SERVICE_VERSION } from '../version.js';
import { publicKeyOf } from '../webhooks/signing.js';
import { SIGNED_AS } from './tellTask.js';

export const CARD_PATH = '/.well-known/agent-card.json';
export const A2A_PATH = '/a2a';
export const A2A_VERSION = '1.0';
const BINDINGS = ['JSONRPC', 'HTTP+JSON'] as const;

const POSTING = [
  'Posts a digital task that the coordinator of this market pays for, within its caps: up to four agents do its legs in turn, each is paid',
  'from escrow on Solana, and the results come back as artifacts. The text of the message is the goal; a data part has the fields of',
  'POST /digital-tasks/sponsored: shipperPubkey (who posts; left out of a signed request: its signer), maxBudgetSol, and if you like title,',
  'legs, claimTimeoutSec, deadline, terms, requirements. Without a data part the answer says what is lacking.',
].join(' ');

const SIGNED = [
  'Optional. X-Pubkey, X-Nonce and X-Signature together sign the HTTP request, body included; a signed posting has caps of its own, and',
  'ListTasks then lists what the key posted.',
].join(' ');

const WITH_PUBKEY = 'Goes with X-Pubkey, whose description says how a request is signed.';

type Described = Pick<AppContext, 'publicUrl' | 'config' | 'ledger'>;

/** @param publicKey that verifies notifications, which have it from here */
function capabilities(isPushing: boolean, publicKey: string) {
  const signed = {
    uri: 'https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md',
    description: 'Push notifications have the headers of Standard Webhooks; publicKey verifies their v1a signature.',
    params: { publicKey },
  };
  return { streaming: true, pushNotifications: isPushing, ...(isPushing && { extensions: [signed] }) };
}

/** What tells one card here from another. */
interface About {
  name: string;
  description: string;
  documentationUrl: string;
  /** Whom messages have to name. */
  tenant?: string;
  /** Beside those of every card. */
  extensions?: object[];
  skills: { id: string; name: string; description: string; tags: string[]; examples?: string[] }[];
}

/**
 * A card, without its signature. It holds nothing that is empty: what is signed is then the same text by the rules of A2A and by
 * libraries that leave empty values out.
 */
function card({ publicUrl, config, ledger }: Described, { tenant, extensions = [], skills, ...about }: About) {
  const isKeyNeeded = config.apiKeys.length > 0;
  const needed = isKeyNeeded && { securityRequirements: [{ schemes: { apiKey: { list: ['post'] } } }] };
  const { extensions: signing = [], ...can } = capabilities(
    config.webhooks.targets !== 'none',
    publicKeyOf(ledger.decisionKey, SIGNED_AS),
  );
  const all = [...signing, ...extensions];
  return {
    ...about,
    supportedInterfaces: BINDINGS.map((protocolBinding) => ({
      url: `${publicUrl}${A2A_PATH}`,
      protocolBinding,
      ...(tenant !== undefined && { tenant }),
      protocolVersion: A2A_VERSION,
    })),
    provider: { url: publicUrl, organization: 'Legwork' },
    version: SERVICE_VERSION,
    capabilities: { ...can, ...(all.length > 0 && { extensions: all }) },
    securitySchemes: schemes(isKeyNeeded),
    defaultInputModes: ['text/plain', 'application/json'],
    defaultOutputModes: ['text/plain', 'application/octet-stream'],
    skills: skills.map((skill) => ({ ...skill, ...needed })),
  };
}

/** The card of the market. Rule S-280. */
export const marketCard = (context: Described): Promise<object> =>
  signedCard(context, {
    name: 'Legwork',
    description: 'A market where agents have work done by other agents, leg by leg, paid from on-chain escrow.',
    documentationUrl: `${context.publicUrl}/docs`,
    skills: [
      {
        id: 'post-digital-task',
        name: 'Post a digital task',
        description: POSTING,
        tags: ['marketplace', 'delegation', 'escrow', 'solana'],
        examples: ['Group this feedback by topic, then sum each group up.'],
      },
    ],
  });

function schemes(isKeyNeeded: boolean) {
  const { pubkey, nonce, signature, apiKey } = securitySchemes();
  const header = ({ name }: { name: string }, description: string) => ({
    apiKeySecurityScheme: { description, location: 'header', name },
  });
  return {
    pubkey: header(pubkey, `${SIGNED} ${pubkey.description}`),
    nonce: header(nonce, WITH_PUBKEY),
    signature: header(signature, WITH_PUBKEY),
    ...(isKeyNeeded && { apiKey: header(apiKey, apiKey.description) }),
  };
}

/**
 * A card with a JWS over its canonical JSON (RFC 8785), by the coordinator's key, which the `kid` names: `did:svc:<key>#key-1`, the
 * first key of the document at /did/coordinator.
 */
export async function signedCard(context: Described, about: About): Promise<object> {
  const unsigned = card(context, about);
  const { address, keyPair } = context.ledger.coordinator;
  const jws = await new FlattenedSign(Buffer.from(canonicalJson(unsigned)))
    .setProtectedHeader({ alg: 'EdDSA', typ: 'JOSE', kid: keyIdOf(didOf(address)) })
    .sign(keyPair.privateKey);
  return { ...unsigned, signatures: [{ protected: jws.protected, signature: jws.signature }] };
}
