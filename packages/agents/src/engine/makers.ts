import { resultHash } from '@legwork/protocol/rules';
import { isToBeRelayed, LedgerRefusedError, LegworkApiError, relay, TransactionRefusedError } from '@legwork/sdk';
import type { LegworkClient } from '@legwork/sdk';
import {
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getSignatureFromTransaction,
  getTransactionDecoder,
} from '@solana/kit';
import type { Blockhash, GetSignatureStatusesApi, IsBlockhashValidApi, Rpc, Signature } from '@solana/kit';
import { handed } from '../resultFiles.js';
import { isFinal } from './calls.js';
import type { Makers } from './calls.js';
import { LaterError } from './move.js';
import type { Made } from '../worker/workbench.js';

type Input<Name extends keyof LegworkClient> = LegworkClient[Name] extends (input: infer I, ...rest: never[]) => unknown
  ? I
  : never;

/** How the calls of a journal are made. Of an answer it keeps the part that the agent needs to know after a restart. */
export function makersOf(client: () => LegworkClient, rpc: () => FateRpc): Makers {
  return {
    // A bid that is repeated under its name is not made again, even when it has ended meanwhile.
    submitBid: async ({ input, key }) => {
      const made = await client().submitBid(input as Input<'submitBid'>, { idempotencyKey: key });
      return { bidId: made.id, expiresAt: made.expiresAt.toISOString(), warning: made.warning };
    },
    // The others do nothing new when they are repeated.
    withdrawBid: async ({ input }) => {
      const { status } = await client().withdrawBid(input as Input<'withdrawBid'>);
      return { status };
    },
    bidDigitalLeg: async ({ input }) => {
      const { status } = await client().bidDigitalLeg(input as Input<'bidDigitalLeg'>);
      return { status };
    },
    completeDigitalLeg: async ({ input }) => {
      const { artifacts, ...given } = input as Input<'completeDigitalLeg'> & Pick<Made, 'artifacts'>;
      const files = artifacts && { artifacts: artifacts.map(handed) };
      const { status, resultHash: hash } = await client().completeDigitalLeg({ ...given, ...files });
      // The claim will name it. Rule A-107.
      const own = resultHash(given.result, artifacts ?? []).hex;
      if (hash !== own) {
        throw new TransactionRefusedError(
          `the service took a result whose sha256 is ${hash}, and handed in was ${own}`,
        );
      }
      return { status, resultHash: hash };
    },
    releaseDigitalLeg: async ({ input }) => {
      const { status } = await client().releaseDigitalLeg(input as Input<'releaseDigitalLeg'>);
      return { status };
    },
    // The same bytes: they land once or never.
    submitTurn: async ({ input }) => landTurn(client(), rpc(), input as SignedTurn),
  };
}

type SignedTurn = Extract<Input<'submitTurn'>, { transaction?: unknown }> & { readonly transaction: string };

const LOOK_AGAIN_MS = 1_000;

/**
 * Hands a signed move in until the ledger shows what became of it: the word of the service is not enough, who picks a parcel up relies on
 * it. Rule A-36.
 *
 * @throws {LaterError} or what asking the service throws, while it may still land
 * @throws {LegworkApiError}, {LedgerRefusedError} when it has failed, or can land no more
 */
async function landTurn(client: LegworkClient, rpc: FateRpc, signed: SignedTurn) {
  const { transaction } = signed;
  // The service completes and sends a transaction that it pays for: the same bytes each time, which it pays for once.
  const turn = isToBeRelayed(transaction) ? { ...signed, transaction: await relay(client, transaction) } : signed;
  const failure = await client.submitTurn(turn).then(
    () => undefined,
    (error: unknown) => error,
  );
  const { signature, fate } = await fateOf(rpc, turn.transaction);
  if (fate === 'landed') return { signature };
  if (fate === 'open' && failure !== undefined && !(failure instanceof LegworkApiError)) throw failure;
  if (fate === 'open') throw new LaterError(`the ledger does not show yet what became of ${signature}`, LOOK_AGAIN_MS);
  if (failure instanceof LegworkApiError && isFinal(failure)) throw failure;
  throw new LedgerRefusedError(`transaction ${signature} failed on the ledger, or can land no more`, undefined);
}

/** The RPC methods that {@link fateOf} needs. */
export type FateRpc = Rpc<GetSignatureStatusesApi & IsBlockhashValidApi>;

/** The fate of a signed transaction. `failed`: it landed and did nothing, or it can land no more. */
export type Fate = 'open' | 'landed' | 'failed';

const commitment = 'confirmed';

/** The ledger's word on a signed transaction in wire form, base64. */
export async function fateOf(
  rpc: FateRpc,
  base64: string,
): Promise<{ readonly signature: Signature; readonly fate: Fate }> {
  const transaction = getTransactionDecoder().decode(getBase64Encoder().encode(base64));
  const { lifetimeToken } = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
  const signature = getSignatureFromTransaction(transaction);
  // In this order: what could still land when it was asked is looked for afterwards.
  const { value: isAlive } = await rpc.isBlockhashValid(lifetimeToken as Blockhash, { commitment }).send();
  const { value } = await rpc.getSignatureStatuses([signature], { searchTransactionHistory: true }).send();
  const [status] = value;
  if (!status) return { signature, fate: isAlive ? 'open' : 'failed' };
  if (status.confirmationStatus === null || status.confirmationStatus === 'processed')
    return { signature, fate: 'open' };
  return { signature, fate: status.err === null ? 'landed' : 'failed' };
}
