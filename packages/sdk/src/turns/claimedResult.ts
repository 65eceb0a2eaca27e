import { decodeTaskLeg, LegStatus, taskLegAddress } from '@legwork/program-client';
import type { Turn } from '@legwork/program-client';
import type { Artifact, DigitalLegDetail, DigitalTaskDetail } from '@legwork/protocol/contract';
import { readResultDocument, resultHash, taskTermsHash } from '@legwork/protocol/rules';
import { fetchEncodedAccounts } from '@solana/kit';
import type { LegworkClient } from '../client.js';
import { landedOn } from '../landed.js';
import type { HistoryRpc } from '../landed.js';
import { TransactionRefusedError } from '../errors.js';
import { bytesToHex } from '../hex.js';
import type { LegOnLedger, TurnRpc } from './readLeg.js';

/** A result that its agent claims to be right. All texts were written by strangers. */
export interface ClaimedResult {
  /** Its title, description and instructions are those that the poster signed for. */
  readonly task: DigitalTaskDetail;
  readonly leg: DigitalLegDetail;
  /** The text that the claim names on the ledger, by its sha256, with its files. */
  readonly result: string;
  /** Its files: `downloadArtifact` gets them, and makes sure of their sha256. */
  readonly artifacts: readonly Artifact[];
  /** The results of the legs before, in order, by the ledger's sha256; null: the service no longer has the text. */
  readonly previousResults: readonly (string | null)[];
}

/** The sha256 that a leg of a task claims, in hex, or undefined without a claim now. */
export function claimedHash({ status, resultHash: claimed }: LegOnLedger): string | undefined {
  return status === LegStatus.Claimed && claimed !== undefined ? bytesToHex(claimed) : undefined;
}

/**
 * Reads what a claim rests on. Whatever the service says is held against the ledger.
 *
 * @param client must have the signer of the task's poster or receiver
 * @param hash the sha256 that the leg claims
 * @returns undefined when the service has no text with this sha256
 * @throws {TransactionRefusedError} when the service says otherwise than the ledger
 */
export async function readClaimed(
  client: LegworkClient,
  rpc: TurnRpc,
  at: LegOnLedger,
  { taskId, legId, hash }: { readonly taskId: string; readonly legId: string; readonly hash: string },
): Promise<ClaimedResult | undefined> {
  const task = await client.getDigitalTask({ taskId });
  requireSigned(task, at);
  const leg = task.legs.find(({ id }) => id === legId);
  if (leg?.legIndex !== at.index) throw new TransactionRefusedError(`task ${taskId} has another leg ${at.index + 1}`);
  const { items } = await client.listEvidence({ legId });
  const evidence = items.find(({ text }) => resultHash(text).hex === hash);
  if (evidence === undefined) return undefined;
  return { task, leg, ...readResultDocument(evidence.text), previousResults: await resultsBefore(rpc, at, task) };
}

/** @throws {TransactionRefusedError} unless the poster signed for this title, description and instructions */
function requireSigned({ id, title, description, legs, requirements, salt }: DigitalTaskDetail, at: LegOnLedger): void {
  const instructions = legs.map(({ instruction }) => instruction);
  const { hex } = taskTermsHash({ title, description, instructions, requirements, salt });
  if (hex === bytesToHex(at.termsHash)) return;
  throw new TransactionRefusedError(`the service says of task ${id} what its poster did not sign for`);
}

async function resultsBefore(rpc: TurnRpc, at: LegOnLedger, { legs }: DigitalTaskDetail): Promise<(string | null)[]> {
  const before = legs.slice(0, at.index);
  const places = await Promise.all(before.map((_, index) => taskLegAddress(at.programId, at.listing, index)));
  const accounts = await fetchEncodedAccounts(rpc, places, { commitment: 'confirmed' });
  return before.map(({ result, artifacts, id }, index) => {
    if (result === null) return null;
    const account = accounts[index];
    const found = account?.exists ? bytesToHex(decodeTaskLeg(account).data.resultHash) : 'nothing';
    if (found === resultHash(result, artifacts).hex) return result;
    throw new TransactionRefusedError(`the result of leg ${id} is another one than the ledger names`);
  });
}

/** The sha256 on the ledger of the grounds of a claim, its dispute and the arbiter's ruling, in hex, or undefined. */
export interface NamedHashes {
  readonly evidence: string | undefined;
  readonly reason: string | undefined;
  readonly ruling: string | undefined;
}

/**
 * The hashes that the claim of a leg's courier of today, the dispute of it and its ruling named. They stand in those transactions only, so who
 * judges, or is judged, looks them up there and believes no service.
 */
export async function namedHashes(
  rpc: HistoryRpc,
  { programId, address, turn }: Pick<LegOnLedger, 'programId' | 'address'> & { readonly turn: Pick<Turn, 'formation'> },
): Promise<NamedHashes> {
  let evidence: string | undefined;
  let reason: string | undefined;
  let ruling: string | undefined;
  for await (const { instruction, reasonHash } of landedOn(rpc, programId, address)) {
    const { name } = instruction;
    if (name !== 'claim' && name !== 'dispute' && name !== 'rule') continue;
    const { accounts, data } = instruction;
    if (accounts.leg.address !== address || data.formation !== turn.formation) continue;
    if ('evidenceHash' in data) evidence ??= bytesToHex(data.evidenceHash);
    else if ('reasonHash' in data) reason ??= bytesToHex(data.reasonHash);
    // A key that carries out what silence decided can write such a memo too, and gives no reason of the arbiter's.
    else if ('fee' in accounts && accounts.signer.address === accounts.fee.address) ruling ??= reasonHash;
  }
  return { evidence, reason, ruling };
}

/** The role of a text among the evidence of a leg, by the ledger. `forged`: it does not match its hash. */
export type NamedAs = 'claim' | 'dispute' | 'ruling' | 'nothing' | 'forged';

/** Measures a text that a service shows as evidence against what the ledger names. */
export function namedAs({ text, hash }: { text: string; hash: string }, named: NamedHashes): NamedAs {
  if (resultHash(text).hex !== hash) return 'forged';
  if (hash === named.evidence) return 'claim';
  if (hash === named.reason) return 'dispute';
  return hash === named.ruling ? 'ruling' : 'nothing';
}
