import { fetchMaybeLeg, legAddress, LegStatus, packageAddress, swarmAddress } from '@legwork/program-client';
import { uuidToBytes } from '@legwork/protocol/contract';
import type { AnswerOf, Leg, operations, PackageDetail } from '@legwork/protocol/contract';
import { legToReceive } from '@legwork/protocol/rules';
import {
  address,
  createKeyPairSignerFromPrivateKeyBytes,
  createSolanaRpc,
  getBase58Decoder,
  getBase58Encoder,
} from '@solana/kit';
import type { Address, GetAccountInfoApi, KeyPairSigner, Rpc } from '@solana/kit';
import { serviceConfig } from './client.js';
import type { LegworkClient } from './client.js';
import { LedgerRefusedError, LegworkApiError, TransactionRefusedError } from './errors.js';
import { afterLanding, landedOn } from './landed.js';
import type { HistoryRpc, Landed } from './landed.js';
import type { LedgerSigner } from './signer.js';
import { readTransaction } from './transactions/readTransaction.js';
import { sendTransaction } from './transactions/sendTransaction.js';
import type { SendRpc } from './transactions/sendTransaction.js';
import { signTransaction } from './transactions/signTransaction.js';
import { buildMove } from './turns/buildMove.js';
import type { Move, MoveOptions } from './turns/buildMove.js';
import { makeMove, signMove, submitMove } from './turns/makeMove.js';
import type { MadeMove } from './turns/makeMove.js';
import type { TurnRpc } from './turns/readLeg.js';

/** The RPC methods that confirming needs; `createSolanaRpc(config.rpcUrl)` of @solana/kit has them. */
export type ConfirmRpc = SendRpc & HistoryRpc & Rpc<GetAccountInfoApi>;

/** What the service recorded, and the transaction that says so on the ledger. */
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
 * this package, whatever the service builds. Safe to repeat, as {@link confirmLeg}. Rule A-8.
 *
 * @param client must have the recipient's signer
 * @throws {NoParcelError}, and what {@link confirmLeg} and `makeMove` throw
 */
export async function receive(
  client: LegworkClient,
  signer: LedgerSigner,
  { packageId, evenBeforePickup }: { readonly packageId: string } & Pick<Move, 'evenBeforePickup'>,
  options: { readonly rpc?: ConfirmRpc & TurnRpc } = {},
): Promise<ReceivedParcel> {
  const parcel = await client.getPackage({ packageId });
  const leg = legToReceive(parcel, signer.address);
  if (leg === undefined) throw new NoParcelError(`${signer.address} receives nothing of this package`);
  const { programId, rpcUrl } = await serviceConfig(client);
  const rpc = options.rpc ?? createSolanaRpc(rpcUrl);
  const account = await packageAddress(address(programId), address(parcel.shipperPubkey), uuidToBytes(packageId));
  const swarm = await swarmAddress(address(programId), account);
  const onChainLeg = await legAddress(address(programId), swarm, leg.legIndex);
  const about = { packageId, legIndex: leg.legIndex, onChainLeg };
  if (parcel.terms === null) return { ...(await confirmLeg(client, rpc, signer, leg.id, onChainLeg)), ...about };
  const move = { packageId, legId: leg.id, onChainLeg, evenBeforePickup };
  return { ...(await receiveByMove(client, signer, move, { parcel, leg, rpc })), ...about };
}

/** Of a leg with terms: who has it confirmed already is told so. */
async function receiveByMove(
  client: LegworkClient,
  signer: LedgerSigner,
  move: Omit<Move, 'action'> & { readonly packageId: string },
  { parcel, leg, rpc }: { readonly parcel: PackageDetail; readonly leg: Leg; readonly rpc: TurnRpc },
) {
  const { packageId, legId } = move;
  const earlier = leg.stage === 'completed' ? leg.confirmSignature : null;
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
 * What landed is not told as failed: when the service cannot be told, because the wallet signs no messages or nobody answers, `open` says so,
 * and the service finds the confirmation on the ledger by itself.
 *
 * Safe to repeat after any interruption. A confirmation that reached the ledger before is found there and only reported
 * again; nothing is signed or paid twice.
 *
 * @param client must have the recipient's signer
 * @param onChainLeg the leg's account, where the caller knows it by itself: another one is refused
 * @param rpc of the service's ledger, `createSolanaRpc((await client.getConfig()).rpcUrl)`
 * @throws {LegworkApiError} `wrong_recipient`, `leg_out_of_order` and others of the two operations
 * @throws {LedgerRefusedError} when the ledger refuses the confirmation
 * @throws {TransactionRefusedError} when the service built another transaction
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
    const signature = await confirmOnLedger(built, rpc, signer, { programId, onChainLeg });
    return await tell(client, legId, signature);
  } catch (error) {
    // A leg that is completed has no transaction to build any more.
    const turnPassed = isApiError(error, 'leg_out_of_order') || isApiError(error, 'invalid_status');
    const recorded = turnPassed ? await recordedConfirmation(client, rpc, signer, programId, legId) : undefined;
    if (recorded === undefined) throw error;
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

async function confirmOnLedger(
  built: AnswerOf<(typeof operations)['buildConfirmTx']>,
  rpc: ConfirmRpc,
  signer: LedgerSigner,
  { programId, onChainLeg }: { programId: Address; onChainLeg: string | undefined },
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
  const signed = await signTransaction(built.transaction, signer, { programId, name: 'confirmLeg' });
  try {
    return await sendTransaction(rpc, signed, built.lastValidBlockHeight);
  } catch (error) {
    // Another run of the same wallet may have been faster.
    const other =
      error instanceof LedgerRefusedError ? await earlierConfirmation(rpc, programId, leg, formation) : undefined;
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

/** What the service recorded of a leg that this wallet confirmed before; undefined when there is nothing of the kind. */
async function recordedConfirmation(
  client: LegworkClient,
  rpc: ConfirmRpc,
  signer: LedgerSigner,
  programId: Address,
  legId: string,
): Promise<ConfirmedLeg | undefined> {
  for await (const { signature, instruction } of landedOn(rpc, programId, signer.address)) {
    if (instruction.name !== 'confirmLeg') continue;
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

/** A key for one parcel's consignee. */
export interface ReceiverCode {
  /** For `terms.receiverPubkey` of the package. */
  readonly pubkey: string;
  /**
   * For the consignee's eyes, as a QR code: `legwork-receiver:` and the 32 secret bytes in base58. Who has it can sign that the parcel
   * arrived, so a photographed code delivers: inspect the parcel, then show the code.
   */
  readonly code: string;
}

const PREFIX = 'legwork-receiver:';
const SECRET_BYTES = 32;

/** Makes a one-time key for the consignee of a package. It is kept nowhere: pass the code on before the package is listed. */
export async function receiverCode(): Promise<ReceiverCode> {
  const secret = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  const { address } = await createKeyPairSignerFromPrivateKeyBytes(secret);
  return { pubkey: address, code: PREFIX + getBase58Decoder().decode(secret) };
}

/**
 * Signs with the code that the consignee shows that the parcel arrived, which pays the courier of the last leg. The courier pays the
 * fee.
 *
 * @param code as {@link receiverCode} made it
 * @throws {TypeError} when it is no such code
 * @throws {LegworkApiError} `not_your_turn` when the package has another receiver, and others of `makeMove`
 * @throws {TransactionRefusedError} when the service built another transaction
 */
export async function confirmWithCode(
  client: LegworkClient,
  courier: LedgerSigner,
  legId: string,
  code: string,
  {
    packageId,
    evenBeforePickup,
    rpc,
  }: Pick<MoveOptions, 'rpc'> & Pick<Move, 'evenBeforePickup'> & { readonly packageId?: string } = {},
): Promise<MadeMove> {
  const receiver = await receiverOf(code);
  const options = { rpc, payerPubkey: courier.address };
  const move = { legId, packageId, action: 'confirm', evenBeforePickup } as const;
  const built = await buildMove(client, receiver.address, move, options);
  if (built.leg.terms.receiver !== receiver.address) {
    throw new TransactionRefusedError(
      `the receiver of this package is ${built.leg.terms.receiver}, and the code is not its`,
    );
  }
  return submitMove(client, built, await signMove(built, [courier, receiver]), { rpc });
}

/** @throws {TypeError} when it is no code of a receiver */
async function receiverOf(code: string): Promise<KeyPairSigner> {
  const secret = secretOf(code.trim());
  if (secret?.length !== SECRET_BYTES) throw new TypeError('this is not the code of a receiver');
  return createKeyPairSignerFromPrivateKeyBytes(secret);
}

function secretOf(code: string) {
  if (!code.startsWith(PREFIX)) return undefined;
  try {
    return getBase58Encoder().encode(code.slice(PREFIX.length));
  } catch {
    return undefined;
  }
}
