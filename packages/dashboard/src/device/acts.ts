import type {
  SolanaSignMessageInput,
  SolanaSignMessageOutput,
  SolanaSignTransactionInput,
  SolanaSignTransactionOutput,
} from '@solana/wallet-standard-features';
import type { Asset } from '@legwork/sdk';
import { type Address, getAddressEncoder } from '@solana/kit';
import { ledgerRpc } from '../data/ledger.js';
import { faultOfDevice } from './faults.js';
import { type DeviceKey, signerOf } from './key.js';
import { tokenOfAsset } from '../data/tokens.js';
import { readMessage } from './message.js';
import { signWire } from './signing.js';
import { readKey } from './store.js';
import { type Read, readWire } from './transaction.js';
import { askMessage, askTransaction, makeWallet, tell } from './ui/sheets.js';
import { m, t } from '../language.js';

export { Purse } from './ui/Purse.js';

const LOCK = 'legwork-device';
const ELSEWHERE = m('Another tab of this site is making the wallet. Finish there, then connect here.');
const GONE = m('The key is no longer here');
const WHY_GONE = m(
  'The browser deleted its data, or the key was forgotten in another tab. Nothing was signed. Connect this device again: its words ' +
    'bring the key back.',
);
const REFUSED = m('You refused to sign it. Nothing was sent.');

/**
 * The account of this device; where it has none yet, its person makes or restores one.
 *
 * @param isSilent nobody is asked
 * @throws {Error} in words for people
 */
export async function connect(isSilent: boolean) {
  const key = await told(async () => (await readKey()) ?? (isSilent ? undefined : await make()));
  return key && { address: key.address, publicKey: Uint8Array.from(getAddressEncoder().encode(key.address)) };
}

/** One tab at a time: two that each show a phrase would keep one of the keys. */
async function make() {
  return navigator.locks.request(LOCK, { ifAvailable: true }, async (lock) => {
    if (lock === null) throw new Error(t(ELSEWHERE));
    return (await readKey()) ?? (await makeWallet());
  });
}

/** @param gone called when the key is not there any more */
export async function signMessages(
  asked: readonly SolanaSignMessageInput[],
  gone: () => void,
): Promise<SolanaSignMessageOutput[]> {
  const answers: SolanaSignMessageOutput[] = [];
  for (const { account, message } of asked) {
    const bytes = Uint8Array.from(message);
    const key = await keyOf(account.address, gone);
    const read = readMessage(bytes, window.location.host);
    if (!read.isOwnCall && !(await askMessage(read, key.address))) throw new Error(t(REFUSED));
    answers.push({ signedMessage: bytes, signature: await key.sign(bytes) });
  }
  return answers;
}

/** @param gone called when the key is not there any more */
export async function signTransactions(
  asked: readonly SolanaSignTransactionInput[],
  gone: () => void,
): Promise<SolanaSignTransactionOutput[]> {
  const answers: SolanaSignTransactionOutput[] = [];
  for (const { account, transaction } of asked) {
    // Its own copy: what was shown is what is signed.
    const wire = Uint8Array.from(transaction ?? []);
    const key = await keyOf(account?.address ?? '', gone);
    const { programId } = await ledgerRpc();
    const read = await readNamed(wire, key.address, programId);
    if (!(await askTransaction(wire, key.address, read))) throw new Error(t(REFUSED));
    answers.push({ signedTransaction: await signWire(key, wire) });
  }
  return answers;
}

/** What a transaction says, with the names of its tokens as the ledger tells them. Bytes that are not understood are a reason to refuse. */
async function readNamed(wire: Uint8Array, own: Address, programId: string): Promise<Read> {
  const named = new Map<Address | number, Asset | undefined>();
  try {
    readWire(wire, own, programId, (asset) => void named.set(asset, undefined));
    for (const asset of named.keys()) named.set(asset, await tokenOfAsset(asset).catch(() => undefined));
    return readWire(wire, own, programId, (asset) => named.get(asset));
  } catch (error) {
    const why = error instanceof Error ? error.message : t('It is not a transaction.');
    const nothing = { lines: [], others: [], writable: [], roles: new Map<string, string>() };
    return { ...nothing, doubts: [t('This device cannot read it. {why}', { why })], feePayer: own, feeLamports: 0n };
  }
}

/** The key, as the browser has it now: meanwhile it may have been forgotten, or be another one. */
async function keyOf(address: string, gone: () => void): Promise<DeviceKey> {
  const kept = await told(readKey);
  if (kept?.address === address) return signerOf(kept);
  // The page that asked is left with nobody connected, so it is told before.
  await tell(t(GONE), t(WHY_GONE));
  gone();
  throw new Error(`${t(GONE)}. ${t(WHY_GONE)}`);
}

async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Error(faultOfDevice(error), { cause: error });
  }
}
