import type { Turn } from '@legwork/program-client';
import { landedOn } from '../confirmations.js';
import type { HistoryRpc } from '../confirmations.js';
import { bytesToHex } from '../hex.js';
import type { LegOnLedger } from './readLeg.js';

/** What the ledger says that a claim and its dispute rest on: sha256 in hex; undefined: there is none. */
export interface NamedHashes {
  readonly evidence: string | undefined;
  readonly reason: string | undefined;
}

/**
 * The hashes that the claim of a leg's courier of today and the dispute of it named. They stand in those transactions only, so an
 * arbiter looks them up there and believes no service.
 */
export async function namedHashes(
  rpc: HistoryRpc,
  { programId, address, turn }: Pick<LegOnLedger, 'programId' | 'address'> & { readonly turn: Pick<Turn, 'formation'> },
): Promise<NamedHashes> {
  let evidence: string | undefined;
  let reason: string | undefined;
  for await (const { instruction } of landedOn(rpc, programId, address)) {
    if (instruction.name !== 'claim' && instruction.name !== 'dispute') continue;
    const { accounts, data } = instruction;
    if (accounts.leg.address !== address || data.formation !== turn.formation) continue;
    if ('evidenceHash' in data) evidence ??= bytesToHex(data.evidenceHash);
    else reason ??= bytesToHex(data.reasonHash);
  }
  return { evidence, reason };
}
