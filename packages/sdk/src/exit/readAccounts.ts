import { type Address, getBase64Encoder, type ReadonlyUint8Array } from '@solana/kit';
import { ExitError, type ExitRpc } from './exitRpc.js';

/** An account as an RPC shows it. */
export interface ShownAccount {
  readonly address: Address;
  readonly owner: Address;
  readonly lamports: bigint;
  readonly executable: boolean;
  readonly data: ReadonlyUint8Array;
}

/** The most that a node tells at once. */
const AT_ONCE = 100;

/** Accounts as of one moment for each hundred, in their order; undefined where there is none. */
export async function readAccounts(
  rpc: ExitRpc,
  addresses: readonly Address[],
): Promise<readonly (ShownAccount | undefined)[]> {
  const shown: (ShownAccount | undefined)[] = [];
  for (let at = 0; at < addresses.length; at += AT_ONCE) {
    const part = addresses.slice(at, at + AT_ONCE);
    const { value } = await rpc.getMultipleAccounts(part, { commitment: 'confirmed', encoding: 'base64' }).send();
    if (!Array.isArray(value) || value.length !== part.length) throw new ExitError('the RPC leaves out accounts');
    part.forEach((address, index) => {
      const account = value[index];
      const { owner, lamports, executable, data } = account ?? {};
      const isThere = owner !== undefined && lamports !== undefined && executable !== undefined && data !== undefined;
      shown.push(
        isThere ? { address, owner, lamports, executable, data: getBase64Encoder().encode(data[0]) } : undefined,
      );
    });
  }
  return shown;
}
