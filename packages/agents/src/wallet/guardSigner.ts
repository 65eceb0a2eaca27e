import { formatAmount, formatSol, OtherAssetError, readRelayTransaction, TransactionRefusedError } from '@legwork/sdk';
import type { LegworkSigner } from '@legwork/sdk';
import { getBase58Decoder } from '@solana/kit';
import type {
  Address,
  Blockhash,
  GetBalanceApi,
  GetMultipleAccountsApi,
  GetTokenAccountBalanceApi,
  IsBlockhashValidApi,
  Rpc,
  SignatureBytes,
  SignatureDictionary,
  Transaction,
} from '@solana/kit';
import type { Journal } from '../journal.js';
import { keyOf } from './assetRules.js';
import type { AssetRules } from './assetRules.js';
import { describeTransaction } from './describeTransaction.js';
import type { RelayTransaction } from './describeTransaction.js';
import { handoffIn, signHandoffText } from './guardHandoff.js';
import { mostItCosts } from './mostItCosts.js';
import type { Cost } from './mostItCosts.js';
import { earlyPayment } from './earlyPayment.js';
import { FundsError, LimitError } from './spending.js';
import type { Spending } from './spending.js';
import { tokensHeld } from './tokensHeld.js';
import { freedOf } from './stakes.js';
import type { StakeRules, Stakes } from './stakes.js';

/** A transaction that a person is asked about, because it passes a limit. */
export interface OverLimit {
  readonly instruction: string;
  /** The account that it is about. */
  readonly subject: string;
  /** With its stake, if that is SOL. */
  readonly lamports: bigint;
  /** The amount of a token that it locks and stakes; left out: none. */
  readonly token?: { readonly asset: string; readonly amount: bigint };
  /** Token accounts that it opens, whose rent is among the lamports; left out: none. */
  readonly opened?: number;
  /** Which limit, and by how much. */
  readonly why: string;
  /** It pays for what nobody has picked up yet: that is asked whatever it costs. */
  readonly isEarlyPayment: boolean;
  /** The description for a person, line by line: decoded from the bytes, with no word of the asker. */
  readonly details: readonly string[];
}

/** The settings of a guard. */
export interface Guard {
  /** The only program whose instructions are signed. */
  readonly programId: string;
  /** Pays fees in this wallet's place, where the service says so: it may be the fee payer of what is signed, and nothing else; null: nobody. */
  readonly feePayer: string | null;
  /** The only service whose requests are signed: its host, with the port unless it is the scheme's default. */
  readonly host: string;
  readonly rpc: Rpc<IsBlockhashValidApi & GetBalanceApi & GetMultipleAccountsApi & GetTokenAccountBalanceApi>;
  /** The assets that it may pay and stake, SOL first. */
  readonly assets: readonly AssetRules[];
  readonly journal: Journal;
  /** A view of that journal. */
  readonly spending: Spending;
  readonly stakeRules: (of: AssetRules) => StakeRules;
  /** A view of that journal. */
  readonly stakes: Stakes;
  /** Asks a person, outside every model's reach; without it, nothing above a limit is signed. */
  readonly approve?: (request: OverLimit) => Promise<boolean>;
}

/** The refusals that are made here, and noted; other errors are not decisions. */
const OURS = [TransactionRefusedError, LimitError, FundsError] as const;
const REQUEST_DOMAIN = 'svc-auth-v1';
const HOST_LINE = 2;

/**
 * A signer that signs nothing but what an agent needs, within limits: requests to its own service, texts of handoffs, and transactions of one
 * known instruction of the relay program that this wallet alone pays and signs, but for moves that two sides sign, and for fees that the service
 * pays. It decodes the bytes itself, so it does not matter who built them. Each signature is in the journal first. Rules.
 */
export function guardSigner(signer: LegworkSigner, guard: Guard): LegworkSigner {
  const { journal } = guard;
  const noted = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      const isOurs = error instanceof Error && OURS.some((type) => error instanceof type);
      if (isOurs) await journal.append({ kind: 'refused', what, why: error.message });
      throw error;
    }
  };
  return {
    address: signer.address,
    signMessages: (messages, config) =>
      noted('a message', async () => {
        const signed: SignatureDictionary[] = [];
        for (const message of messages) {
          const handoff = handoffIn(message);
          if (handoff === undefined) requireRequest(message.content, guard.host);
          const text = handoff && (await signHandoffText(signer, guard, message, handoff));
          signed.push(text ?? (await signer.signMessages([message], config))[0] ?? {});
        }
        return signed;
      }),
    signTransactions: (transactions, config) =>
      noted('a transaction', async () => {
        const signed: SignatureDictionary[] = [];
        for (const transaction of transactions) signed.push(await signOne(signer, guard, transaction, config));
        return signed;
      }),
  };
}

/** @throws {TransactionRefusedError} unless the message is a request to the service */
function requireRequest(content: Uint8Array, host: string): void {
  const lines = new TextDecoder().decode(content).split('\n');
  if (lines[0] === REQUEST_DOMAIN && lines[HOST_LINE] === host) return;
  throw new TransactionRefusedError(`this key signs requests to ${host} only, and this message is none`);
}

async function signOne(
  signer: LegworkSigner,
  guard: Guard,
  transaction: Transaction,
  config: Parameters<LegworkSigner['signTransactions']>[1],
): Promise<SignatureDictionary> {
  const { journal } = guard;
  const { read, of } = readAllowed(transaction, guard, signer.address);
  requireOurs(read, signer, guard);
  const cost = await mostItCosts(read, signer.address, guard.rpc);
  const { lamports, stake } = cost;
  const isToken = of.token !== undefined;
  const inAll = lamports + (isToken ? 0n : (stake?.amount ?? 0n));
  const tokens = cost.tokens + (isToken ? (stake?.amount ?? 0n) : 0n);
  const { mandated = { lamports: 0n, tokens: 0n } } = cost;
  await Promise.all([
    requireLiving(read, guard),
    requireFunds(signer, inAll - mandated.lamports, guard),
    ...(tokens > mandated.tokens ? [requireTokens(signer, tokens - mandated.tokens, of, guard)] : []),
  ]);
  const early = await earlyPayment(read, guard.rpc);
  const entry = { instruction: read.instruction.name, subject: subjectOf(read), lamports };
  if (stake !== undefined) await noteFreed(guard, signer.address);
  // The signature is worked out before the entry and given away after it: what is not in the journal never leaves here.
  const [signatures = {}] = await signer.signTransactions([transaction as never], config);
  const signature = nameOf(transaction, signatures, signer.address);
  const signed = { kind: 'signed', ...entry, signature, ...movedOf(of, cost) } as const;
  const reserve = (isApproved: boolean) =>
    journal.decide(() => {
      if (!isApproved && early) throw early;
      if (!isApproved) requireWithin(guard, { ...cost, subject: entry.subject, of });
      return [signed];
    });
  try {
    await reserve(false);
  } catch (error) {
    if (!(error instanceof LimitError)) throw error;
    const details = describeTransaction(read, { wallet: signer.address, subject: entry.subject, ...cost, of });
    const token = tokens > 0n ? { token: { asset: of.asset, amount: tokens } } : {};
    const asked = {
      ...entry,
      ...token,
      opened: read.opened,
      lamports: inAll,
      why: error.message,
      isEarlyPayment: early !== undefined,
      details,
    };
    if (!(await guard.approve?.(asked))) throw error;
    await reserve(true);
  }
  return signatures;
}

/** @throws {LimitError} when a limit of money or a rule of stakes stands in the way */
function requireWithin(
  { spending, assets, stakes, stakeRules }: Guard,
  { subject, lamports, tokens, stake, of }: Cost & { readonly subject: string; readonly of: AssetRules },
): void {
  const [sol] = assets;
  if (sol === undefined) throw new TransactionRefusedError('this wallet has no limits');
  spending.check(lamports, sol.spending, Date.now());
  if (tokens > 0n) spending.check(tokens, of.spending, Date.now(), keyOf(of), of);
  if (stake !== undefined) stakes.check(subject, stake, stakeRules(of));
}

/** The journal's fields of a transaction beside its lamports. */
function movedOf({ token }: AssetRules, { tokens, stake }: Cost) {
  if (token === undefined) return stake && { stakeLamports: stake.amount };
  return { token: { mint: token.mint, amount: tokens, ...(stake && { stake: stake.amount }) } };
}

/**
 * Reads a transaction that moves an asset which the policy has limits for, and finds which. Rule A-151.
 *
 * @throws {TransactionRefusedError} for any other
 */
function readAllowed(
  transaction: Transaction,
  { programId, assets, feePayer }: Guard,
  own: Address,
): { read: RelayTransaction; of: AssetRules } {
  let refused: TransactionRefusedError | undefined;
  const lender = feePayer === null || feePayer === own ? undefined : (feePayer as Address);
  for (const of of assets) {
    try {
      return { read: readRelayTransaction(transaction, programId, { token: of.token, lender }), of };
    } catch (error) {
      if (!(error instanceof TransactionRefusedError)) throw error;
      refused ??= error;
    }
  }
  if (!(refused instanceof OtherAssetError)) throw refused ?? new TransactionRefusedError('this wallet has no limits');
  const names = assets.map(({ asset }) => asset.toUpperCase()).join(' and ');
  throw new OtherAssetError(`${refused.message}: the policy has limits for ${names} alone`);
}

/** Writes down which stakes lie in their legs no more. */
async function noteFreed({ journal, stakes, rpc }: Guard, own: Address): Promise<void> {
  const freed = await freedOf(stakes.legs, own, rpc);
  if (freed.length > 0) await journal.append(...freed.map((subject) => ({ kind: 'freed', subject }) as const));
}

/**
 * By what the ledger will know it: the signature of its fee payer. The other side of a move may have signed and paid before; who pays in this
 * wallet's place signs later, and then its own has to do.
 */
function nameOf({ signatures: before }: Transaction, signatures: SignatureDictionary, own: Address): string {
  const [[payer, given]] = Object.entries(before).slice(0, 1) as [[Address, SignatureBytes | null]];
  const named = given ?? signatures[payer] ?? signatures[own];
  if (named === undefined) throw new TransactionRefusedError(`the signer of ${own} gave no signature of its own`);
  return getBase58Decoder().decode(named);
}

/** @throws {TransactionRefusedError} unless this wallet alone pays and signs, or also the other side of a move that both sign */
function requireOurs(read: RelayTransaction, { address }: LegworkSigner, { feePayer: lender }: Guard): void {
  const { feePayer, signers, instruction } = read;
  const sides = sidesOf(instruction, address);
  const isLent = feePayer === lender && !isNamed(read, feePayer);
  const other = [feePayer, ...signers].find(
    (one) => one !== address && !sides.includes(one) && !(isLent && one === feePayer),
  );
  if (other !== undefined) {
    throw new TransactionRefusedError(`${other} would pay or sign this transaction beside ${address}, or in its place`);
  }
}

const EXITS: ReadonlySet<string> = new Set(['cancelPackage', 'reclaimPackage', 'cancelTask', 'reclaimTask']);

/** Reports whether the instruction names it, so that its signature would do more than pay; exits name who gets a rent or a budget back. */
function isNamed({ instruction, encoded }: RelayTransaction, key: Address): boolean {
  return !EXITS.has(instruction.name) && encoded.accounts?.some(({ address }) => address === key) === true;
}

/** The other keys that may sign: both sides of a first pickup or an agreement; the receiver whose code this courier was shown. */
function sidesOf(instruction: RelayTransaction['instruction'], own: Address): readonly Address[] {
  const { name, accounts } = instruction;
  if (name === 'accept') return bothOr(own, [accounts.courier.address, accounts.lister.address]);
  if (name === 'rule') return bothOr(own, [accounts.signer.address, accounts.worker.address]);
  return name === 'confirmLeg' && accounts.courier.address === own ? [accounts.recipient.address] : [];
}

const bothOr = (own: Address, sides: readonly Address[]) => (sides.includes(own) ? sides : []);

/** @throws {TransactionRefusedError} when the ledger does not know its blockhash: it could not land now, and perhaps much later */
async function requireLiving({ blockhash }: RelayTransaction, { rpc }: Guard): Promise<void> {
  const { value } = await rpc.isBlockhashValid(blockhash as Blockhash, { commitment: 'processed' }).send();
  if (!value)
    throw new TransactionRefusedError(`the ledger does not know the blockhash ${blockhash}, or it is too old`);
}

/** @throws {FundsError} when a transaction that cannot be paid would use up the limits and do nothing */
async function requireFunds({ address }: LegworkSigner, lamports: bigint, { rpc }: Guard): Promise<void> {
  const { value } = await rpc.getBalance(address, { commitment: 'confirmed' }).send();
  if (lamports <= value) return;
  throw new FundsError(`this may cost ${formatSol(lamports)} SOL, but ${address} has ${formatSol(value)} SOL`);
}

/** @throws {FundsError} when the wallet has not so much of the token */
async function requireTokens(
  { address }: LegworkSigner,
  amount: bigint,
  of: AssetRules,
  { rpc }: Guard,
): Promise<void> {
  const held = await tokensHeld(rpc, address, of);
  if (amount <= held) return;
  throw new FundsError(`this takes ${formatAmount(amount, of)}, but ${address} has ${formatAmount(held, of)}`);
}

function subjectOf({ instruction: { accounts } }: RelayTransaction): string {
  if ('leg' in accounts) return accounts.leg.address;
  if ('package' in accounts) return accounts.package.address;
  if ('task' in accounts) return accounts.task.address;
  if ('agent' in accounts) return accounts.agent.address;
  throw new TransactionRefusedError('this instruction is about nothing that an agent has');
}
