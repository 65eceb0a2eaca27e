// Blocks, and the transactions in them.
import { calls } from './list.mjs';

const latest = { maxSupportedTransactionVersion: 0 };
const FAR = 4_000_000_000;

export function blockCalls({ slots }) {
  const slot = slots['transfer'];
  const withTokens = slots['transfer tokens'];
  const details = ['full', 'accounts', 'signatures', 'none'];
  return [
    ...calls('getBlock', {
      'of a transfer': [slot, latest],
      ...Object.fromEntries(
        details.map((transactionDetails) => [
          `details ${transactionDetails}`,
          [slot, { ...latest, transactionDetails, rewards: false }],
        ]),
      ),
      ...Object.fromEntries(
        ['json', 'jsonParsed', 'base58', 'base64'].map((encoding) => [
          `tokens, ${encoding}`,
          [withTokens, { ...latest, encoding, rewards: false }],
        ]),
      ),
      'accounts of tokens': [withTokens, { ...latest, transactionDetails: 'accounts', rewards: false }],
      'bare encoding': [slot, 'json'],
      'no version, of version 0': [slots['transfer of version 0']],
      'with rewards': [slot, { ...latest, rewards: true, transactionDetails: 'none' }],
      'not there yet': [FAR],
      'the first': [0, latest],
      processed: [slot, { commitment: 'processed' }],
      'unknown details': [slot, { transactionDetails: 'some' }],
      'unknown encoding': [slot, { encoding: 'hex' }],
      'below zero': [-1],
      text: ['7'],
    }),
    ...calls('getBlocks', {
      one: [slot, slot],
      range: [slot, withTokens],
      confirmed: [slot, withTokens, { commitment: 'confirmed' }],
      backwards: [withTokens, slot],
      far: [FAR, FAR + 10],
      'too many': [0, 600_000],
      'to the end, options second': [withTokens, { commitment: 'confirmed' }],
      processed: [slot, slot, { commitment: 'processed' }],
      text: ['7'],
    }),
    ...calls('getBlocksWithLimit', {
      one: [slot, 1],
      none: [slot, 0],
      three: [slot, 3, { commitment: 'confirmed' }],
      'too many': [slot, 600_000],
      far: [FAR, 3],
      'no limit': [slot],
      processed: [slot, 1, { commitment: 'processed' }],
    }),
    ...calls('getBlockTime', {
      'of a transfer': [slot],
      far: [FAR],
      'the first': [0],
      text: ['7'],
      'below zero': [-1],
    }),
    ...calls('getBlockCommitment', { 'of a transfer': [slot], far: [FAR], text: ['7'] }),
    ...calls('getFirstAvailableBlock', { 'no parameters at all': [] }),
    ...calls('minimumLedgerSlot', { 'no parameters at all': [] }),
    ...calls('getMaxRetransmitSlot', { 'no parameters at all': [] }),
    ...calls('getMaxShredInsertSlot', { 'no parameters at all': [] }),
    ...calls('getHighestSnapshotSlot', { 'no parameters at all': [] }),
  ];
}
