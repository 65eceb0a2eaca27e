import { numberOf } from './assets.js';
import { fetchMaybeLeg, legAddress, LegStatus, packageAddress, swarmAddress } from '@legwork/program-client';
import { uuidToBytes } from '@legwork/protocol/contract';
import type { AnswerOf, Leg, operations, PackageDetail } from '@legwork/protocol/contract';
import { legToReceive } from '@legwork/protocol/rules';
import { address } from '@solana/kit';
import { ledgerRpc } from './ledgerRpc.js';
import type { Address, GetAccountInfoApi, Rpc } from '@solana/kit';
import { serviceConfig } from './client.js';
import type { LegworkClient } from './client.js';
import { LedgerRefusedError, LegworkApiError, TransactionRefusedError } from './errors.js';
import { afterLanding, landedOn } from './landed.js';
import type { Landed } from './landed.js';
import { sendAffordably } from './feePayer.js';
import type { LedgerSigner } from './signer.js';
import { readTransaction } from './transactions/readTransaction.js';
import type { SendRpc } from './transactions/sendTransaction.js';
import { requireMove } from './turns/buildMove.js';
import type { Move } from './turns/buildMove.js';
import { expectedConfirmation } from './turns/expectedMoves.js';
import { makeMove } from './turns/makeMove.js';
import { readLegOf, readSpokenLeg } from './turns/readLeg.js';
import type { AnyLeg, TurnRpc } from './turns/readLeg.js';

/** The RPC methods that confirming needs; `ledgerRpc(config.rpcUrl)` has them. */
export type ConfirmRpc = SendRpc & TurnRpc & Rpc<GetAccountInfoApi>;

/** The service's record, and the transaction that proves it on the ledger. */
export type ConfirmedLeg = Recorded & Landed;
type Recorded = AnswerOf<(typeof operations)['confirmLeg']>;

/** A parcel that was received. */
export type ReceivedParcel = Omit<ConfirmedLeg, 'settleSignature'> & {
  readonly packageId: string;
  readonly legIndex: number;
  /** The account of the leg that ended, as it follows from shipper, package and index. */
  readonly onChainLeg: string;
};

/** This wallet receives nothing of the package. Nothing was signed. */
export class NoParcelError extends Error {
  override readonly name = 'NoParcelError';
}

/**
 * Says that this wallet received the parcel of a package, with terms or without: from the courier before its own leg, or, as the shipper,
 * from the last one. That pays the courier who brought it, for good. The leg's account is worked out here: what is signed is a leg of
 * this package, whatever the service builds, and its terms are those that the ledger has. Safe to repeat, as {@link confirmLeg}. Rule A-8.
 *
 * @param client must have the recipient's signer
 * @throws {NoParcelError}, and what {@link confirmLeg} and `makeMove` throw
 */
export async function receive(
  client: LegworkClient,
  signer: LedgerSigner,
  { packageId, evenBeforePickup }: { readonly packageId: string } & Pick<Move, 'evenBeforePickup'>,
  options: { readonly rpc?: ConfirmRpc } = {},
): Promise<ReceivedParcel> {
  const parcel = await client.getPackage({ packageId });
  const leg = legToReceive(parcel, signer.address);
  if (leg === undefined) throw new NoParcelError(`${signer.address} receives nothing of this package`);
  const config = await serviceConfig(client);
  const { programId, rpcUrl } = config;
  const rpc = options.rpc ?? ledgerRpc(rpcUrl);
  const { shipperPubkey, terms } = parcel;
  const account = await packageAddress(address(programId), address(shipperPubkey), uuidToBytes(packageId));
  const swarm = await swarmAddress(address(programId), account);
  const onChainLeg = await legAddress(address(programId), swarm, leg.legIndex);
  const about = { packageId, legIndex: leg.legIndex, onChainLeg };
  const said = { packageId, shipperPubkey, terms, assetNumber: await numberOf(config, parcel.asset) };
  const at = await readSpokenLeg(rpc, address(programId), said, leg.legIndex);
  if (terms === null) return { ...(await confirmLeg(client, rpc, signer, leg.id, onChainLeg)), ...about };
  const move = { packageId, legId: leg.id, onChainLeg, evenBeforePickup, terms };
  return { ...(await receiveByMove(client, signer, move, { parcel, leg, at, rpc })), ...about };
}

/** The known facts of a parcel to receive; `at`: undefined once the ledger has closed the leg's account. */
interface Known {
  readonly parcel: PackageDetail;
  readonly leg: Leg;
  readonly at: AnyLeg | undefined;
  readonly rpc: TurnRpc;
}

/** Of a leg with terms: who has it confirmed already is told so. */
async function receiveByMove(
  client: LegworkClient,
  signer: LedgerSigner,
  move: Omit<Move, 'action'> & { readonly packageId: string },
  { parcel, leg, at, rpc }: Known,
) {
  const { packageId, legId } = move;
  const earlier = leg.stage === 'completed' ? leg.confirmSignature : null;
  if (earlier !== null && at !== undefined && at.status !== LegStatus.Completed) {
    throw new TransactionRefusedError(
      `the service says that the leg at ${at.address} is confirmed, and the ledger does not`,
    );
  }
  const made =
    earlier === null
      ? await makeMove(client, signer, { ...move, action: 'confirm' }, { rpc })
      : { signature: earlier, open: null };
  const told = ({ finality, swarm }: PackageDetail) => ({
    legId,
    status: 'completed' as const,
    finality,
    swarmStatus: swarm?.status ?? ('active' as const),
  });
  if (made.open !== null) return { ...told(parcel), signature: made.signature, open: made.open };
  const take = async () => told(await client.getPackage({ packageId }));
  return afterLanding(made.signature, { what: 'read how the package stands now', take }, told(parcel));
}

/**
 * Confirms a leg as its recipient (the courier of the next leg; for the last leg, the shipper): builds confirm_leg,
 * signs it, sends it to the ledger, waits until it is confirmed, and tells the service.
 *
 * A landed confirmation is never reported as failed: when the service cannot be told, because the wallet signs
 * no messages or nobody answers, `open` says so, and the service finds the confirmation on the ledger by itself.
 *
 * It signs the one confirmation that the ledger takes of the leg now, and none of a parcel that nobody has picked up. Which leg
 * it is the service says alone, unless the caller gives its account: use {@link receive} where the service may lie. Rule A-105.
 *
 * Safe to repeat after any interruption. A confirmation that reached the ledger before is found there and only reported
 * again; nothing is signed or paid twice.
 *
 * @param client must have the recipient's signer
 * @param onChainLeg the leg's account, where the caller knows it by itself: another one is refused
 * @param rpc of the service's ledger, `ledgerRpc((await client.getConfig()).rpcUrl)`
 * @throws {LegworkApiError} `wrong_recipient`, `leg_out_of_order` and others of the two operations
 * @throws {LedgerRefusedError} when the ledger refuses the confirmation
 * @throws {TransactionRefusedError} when the service built another transaction, or nobody has picked up the parcel
 */
export async function confirmLeg(
  client: LegworkClient,
  rpc: ConfirmRpc,
  signer: LedgerSigner,
  legId: string,
  onChainLeg?: string,
): Promise<ConfirmedLeg> {
  const programId = address((await serviceConfig(client)).programId);
  try {
    const built = await client.buildConfirmTx({ legId });
    const signature = await confirmOnLedger(client, built, { rpc, signer, programId, onChainLeg });
    return await tell(client, legId, signature);
  } catch (error) {
    // A leg that is completed has no transaction to build any more.
    const turnPassed = isApiError(error, 'leg_out_of_order') || isApiError(error, 'invalid_status');
    const recorded = turnPassed && (await recordedConfirmation(client, rpc, signer, { programId, legId, onChainLeg }));
    if (!recorded) throw error;
    return recorded;
  }
}

function tell(client: LegworkClient, legId: string, signature: string): Promise<ConfirmedLeg> {
  const take = () => client.confirmLeg({ legId, signature });
  const known: Recorded = {
    legId,
    status: 'completed',
    finality: 'confirmed',
    swarmStatus: 'active',
    settleSignature: null,
  };
  return afterLanding(signature, { what: 'tell the service of the confirmation', take }, known);
}

/** The confirming wallet, the leg, and its service and ledger. */
interface Confirming {
  readonly rpc: ConfirmRpc;
  readonly signer: LedgerSigner;
  readonly programId: Address;
  readonly onChainLeg: string | undefined;
}

async function confirmOnLedger(
  client: LegworkClient,
  built: AnswerOf<(typeof operations)['buildConfirmTx']>,
  { rpc, signer, programId, onChainLeg }: Confirming,
): Promise<string> {
  const { instruction } = readTransaction(built.transaction, { programId, name: 'confirmLeg' });
  const recipient = instruction.accounts.recipient.address;
  if (recipient !== signer.address) {
    throw new TransactionRefusedError(`this leg is confirmed by ${recipient}, not by ${signer.address}`);
  }
  const leg = instruction.accounts.leg.address;
  if (onChainLeg !== undefined && leg !== onChainLeg) {
    throw new TransactionRefusedError(`the transaction confirms the leg at ${leg}, not the one at ${onChainLeg}`);
  }
  const { formation } = instruction.data;
  const earlier = await earlierConfirmation(rpc, programId, leg, formation);
  if (earlier !== undefined) return earlier;
  try {
    const { package: listing } = instruction.accounts;
    const at = await readLegOf(rpc, programId, listing.address, built.legIndex);
    if (at === undefined) throw new TransactionRefusedError(`the ledger has no leg at ${leg} that could be confirmed`);
    const { forms } = expectedConfirmation(at, signer.address);
    const transaction = requireMove(built.transaction, at, { forms, signers: [signer.address] });
    return await sendAffordably({ client, rpc, transaction }, signer, built.lastValidBlockHeight);
  } catch (error) {
    // Another run of the same wallet may have been faster.
    const isOver = error instanceof LedgerRefusedError || error instanceof TransactionRefusedError;
    const other = isOver ? await earlierConfirmation(rpc, programId, leg, formation) : undefined;
    if (other === undefined) throw error;
    return other;
  }
}

/** The signature of the transaction that completed the leg in this formation, if there is one. */
async function earlierConfirmation(
  rpc: ConfirmRpc,
  programId: Address,
  leg: Address,
  formation: number,
): Promise<string | undefined> {
  const account = await fetchMaybeLeg(rpc, leg, { commitment: 'confirmed' });
  if (account.exists && account.data.status === LegStatus.Pending) return undefined;
  for await (const { signature, instruction } of landedOn(rpc, programId, leg)) {
    if (instruction.name !== 'confirmLeg' || instruction.accounts.leg.address !== leg) continue;
    if (instruction.data.formation === formation) return signature;
  }
  return undefined;
}

/** The service's record of a leg that this wallet confirmed before, or undefined. */
async function recordedConfirmation(
  client: LegworkClient,
  rpc: ConfirmRpc,
  signer: LedgerSigner,
  { programId, legId, onChainLeg }: { programId: Address; legId: string; onChainLeg: string | undefined },
): Promise<ConfirmedLeg | undefined> {
  for await (const { signature, instruction } of landedOn(rpc, programId, signer.address)) {
    if (instruction.name !== 'confirmLeg') continue;
    if (onChainLeg !== undefined && instruction.accounts.leg.address !== onChainLeg) continue;
    try {
      return { ...(await client.confirmLeg({ legId, signature })), signature, open: null };
    } catch (error) {
      // No answer, or a service in trouble, says nothing about the leg.
      if (!(error instanceof LegworkApiError) || error.status >= 500) throw error;
      // The signature of another leg: go on. Anything else: this leg is not one of ours, or its turn is to come.
      if (error.code !== 'wrong_transaction') return undefined;
    }
  }
  return undefined;
}

function isApiError(error: unknown, code: LegworkApiError['code']): boolean {
  return error instanceof LegworkApiError && error.code === code;
}
