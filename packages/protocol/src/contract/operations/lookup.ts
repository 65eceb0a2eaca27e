import { z } from 'zod';
import { decodeBase58, PUBKEY_LENGTH } from '../pubkey.js';
import { excerpt, transactionSignature, uuid } from '../schemas.js';
import { EXAMPLE_PACKAGE_ID } from './examples.js';
import { operation } from './operation.js';

/** The most that one text can mean. */
export const MAX_LOOKUP_MATCHES = 10;

/** Hexadecimal characters at the end of an id that are enough to look it up. */
const LEAST_ID_CHARACTERS = 6;
const ID_CHARACTERS = 32;
/** 32 bytes in base58. */
const MAX_ADDRESS_TEXT = 44;

/** What a text can be, by its form; a few can be two things. */
export interface LookupForms {
  /** The end of an id, or all of it, without hyphens. */
  idEnd: string | undefined;
  address: string | undefined;
  signature: string | undefined;
}

/** Reads a text that somebody wants to look up. All undefined: it has none of the forms. */
export function readLookup(text: string): LookupForms {
  const hex = text.replaceAll('-', '').toLowerCase();
  const isIdEnd = /^[0-9a-f]+$/.test(hex) && hex.length >= LEAST_ID_CHARACTERS && hex.length <= ID_CHARACTERS;
  return {
    idEnd: isIdEnd ? hex : undefined,
    address: decodeBase58(text, MAX_ADDRESS_TEXT)?.length === PUBKEY_LENGTH ? text : undefined,
    signature: transactionSignature.safeParse(text).success ? text : undefined,
  };
}

const MAX_TEXT = 100;

const lookupText = z
  .string()
  .max(MAX_TEXT, { abort: true })
  .refine(
    (text) => Object.values(readLookup(text)).some((form) => form !== undefined),
    `must be an id or its last ${LEAST_ID_CHARACTERS} or more hexadecimal characters, an address or a key in base58, or a transaction signature`,
  )
  .meta({
    pattern: '^(?:[0-9a-fA-F-]{6,36}|[1-9A-HJ-NP-Za-km-z]{32,88})$',
    description: 'an id or its last 6 or more characters, an address, a key, or a transaction signature',
    examples: [EXAMPLE_PACKAGE_ID],
  });

const match = z.strictObject({
  kind: z.enum(['package', 'task', 'swarm', 'leg', 'taskLeg', 'agent', 'transaction']),
  id: z.string().meta({ description: 'its id; the key of an agent, the signature of a transaction' }),
  field: z
    .enum([
      'id',
      'agentPubkey',
      'onChainPackage',
      'onChainVault',
      'onChainSwarm',
      'onChainLeg',
      'onChainTask',
      'onChainPDA',
      'signature',
    ])
    .meta({ description: 'which of its fields the text is' }),
  packageId: uuid.nullable().meta({ description: 'the package that it is, or belongs to' }),
  taskId: uuid.nullable().meta({ description: 'the digital task that it is, or belongs to' }),
  title: excerpt(80).nullable().meta({
    description: 'the beginning of the description of its package, the title of its task, the name of the agent',
  }),
});
export type LookupMatch = z.output<typeof match>;

export const lookup = operation({
  name: 'lookup',
  tag: 'lookup',
  summary: 'Find out what an id, a key, an address or a signature is',
  description:
    'Looks among packages, digital tasks, swarms, legs, agents, their accounts on the ledger, and transactions about them. Of an id ' +
    'the last six characters are enough; where several end with them, all are listed, the newest first, at most 10. What nobody here ' +
    'knows is an empty list.',
  method: 'GET',
  path: '/lookup/:text',
  params: z.strictObject({ text: lookupText }),
  answer: z.strictObject({ matches: z.array(match).max(MAX_LOOKUP_MATCHES) }),
});
