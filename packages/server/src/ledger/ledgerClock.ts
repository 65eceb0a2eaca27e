import { address, getBase64Encoder, getI64Decoder } from '@solana/kit';
import type { Ledger } from './ledger.js';
import { ask } from '@legwork/program-client/history';

const CLOCK = address('SysvarC1ock11111111111111111111111111111111');
/** Where the account holds the Unix seconds, a signed integer of eight bytes. */
const UNIX_TIMESTAMP_OFFSET = 32;

/** The ledger's time in whole seconds, by which the program judges deadlines. @throws RelayError `ledger_unavailable` */
export async function readLedgerTime({ rpc }: Pick<Ledger, 'rpc'>): Promise<Date> {
  const { value } = await ask(rpc.getAccountInfo(CLOCK, { commitment: 'confirmed', encoding: 'base64' }));
  if (value === null) throw new Error('the ledger shows no clock');
  const [seconds] = getI64Decoder().read(getBase64Encoder().encode(value.data[0]), UNIX_TIMESTAMP_OFFSET);
  return new Date(Number(seconds) * 1000);
}
