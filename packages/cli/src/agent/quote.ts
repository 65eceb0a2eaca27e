import { formatSol, type LegworkClient, parseSol, type ServiceConfig, SOL, type PackageDraft } from '@legwork/sdk';
import { listingRent, rentMinimum, TOKEN_ACCOUNT_RENT } from '@legwork/program-client';
import { messageOf } from '../screen.js';

type Wish = NonNullable<Parameters<LegworkClient['quote']>[0]>;
/** Terms as a draft asks for them. */
export type TermsAsked = NonNullable<PackageDraft['terms']>;
type Quote = Awaited<ReturnType<LegworkClient['quote']>>;

/** So long posting waits for a quote at most, milliseconds. */
const PATIENCE_MS = 2_000;

/** A quote in words, and as the service gave it; null: it gave none. */
export interface Quoted {
  readonly quote: Quote | null;
  readonly lines: readonly string[];
}

/** The parts of a posting that make a price. */
export interface Posting {
  readonly wish: Omit<Wish, 'terms'>;
  /** Undefined: what the SDK takes by itself. */
  readonly terms: TermsAsked | undefined;
  /** SOL, or whole units of its asset. */
  readonly budget: number;
  /** Left out: SOL. */
  readonly asset?: string | undefined;
  /** The owner of the mandate that pays; left out: the wallet. */
  readonly mandate?: string | undefined;
  /** Of a digital task whose legs the service plans: the wish is of one of them. */
  readonly isOfEachLeg?: boolean;
}

/**
 * The expected cost of a listing, and the costs on top, before anything is signed.
 * Posting never fails for want of it, and waits no more than a moment. Rule A-117.
 */
export async function quoted(client: LegworkClient, config: ServiceConfig, posting: Posting): Promise<Quoted> {
  const terms = posting.terms ?? (config.arbiterPubkey === null ? 'plain' : 'standard');
  if ((posting.asset ?? SOL.asset) !== SOL.asset)
    return { quote: null, lines: linesInToken(posting, terms !== 'plain') };
  try {
    const quote = await client.quote({ ...posting.wish, terms }, { signal: AbortSignal.timeout(PATIENCE_MS) });
    return { quote, lines: [priceIn(quote, posting), ...quote.onTop.map((one) => onTopIn(one, posting))] };
  } catch (error) {
    const why = isTimeout(error) ? `no answer within ${PATIENCE_MS / 1000} seconds` : oneLine(messageOf(error));
    return { quote: null, lines: [`Expected price: unknown, the service gives no quote: ${why}`] };
  }
}

const isTimeout = (error: unknown) => error instanceof DOMException && error.name === 'TimeoutError';

function priceIn(quote: Quote, { budget, isOfEachLeg }: Posting): string {
  const { expectedLamports: expected, lowLamports: low, highLamports: high, basis } = quote;
  const what = isOfEachLeg ? 'Expected price of each leg' : 'Expected price';
  if (expected === null || low === null || high === null) return `${what}: ${oneLine(basis.words)}`;
  const small = !isOfEachLeg && parseSol(budget) < low ? '; your budget is below that range, and may find nobody' : '';
  return `${what}: ${formatSol(expected)} SOL, mostly ${formatSol(low)} to ${formatSol(high)}${small}: ${oneLine(basis.words)}`;
}

/** Of a listing in a token its account is the funder's, and the vault's token account the wallet's: it signs. */
function linesInToken({ wish, mandate }: Posting, hasTerms: boolean): string[] {
  const account = listingRent(wish.numLegs === undefined ? 'package' : 'task', hasTerms);
  const lines = [
    `${mandate === undefined ? 'your wallet' : 'the mandate'}: rent, ${formatSol(account)} SOL (${formatSol(account - rentMinimum(0))} come back), of the account of the listing`,
    `your wallet: rent, ${formatSol(TOKEN_ACCOUNT_RENT)} SOL, of its vault's token account, which goes to ${mandate === undefined ? 'you' : 'the mandate'} when it is over`,
  ];
  return [
    'Expected price: unknown, the service knows prices in SOL alone',
    ...lines.map((line) => `On top, from ${line}`),
    'A wallet with too little SOL for that asks the service to pay it',
  ];
}

function onTopIn(
  { what, payer, lamports, returnedLamports, words }: Quote['onTop'][number],
  { mandate }: Posting,
): string {
  const shipper = mandate !== undefined && what === 'rent' ? 'the mandate' : 'your wallet';
  const whose = payer === 'shipper' ? shipper : "each agent's wallet";
  const amount = lamports === null ? 'as unknown as the price' : `${formatSol(lamports)} SOL`;
  const back =
    returnedLamports === null || returnedLamports === 0n ? '' : ` (${formatSol(returnedLamports)} come back)`;
  return `On top, from ${whose}: ${what}, ${amount}${what === 'stake' ? '' : back}, ${oneLine(words)}`;
}

/** Words of a service keep to their line. */
const oneLine = (text: string) => text.replace(/\s+/g, ' ');
