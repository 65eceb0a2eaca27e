import { type MandateNow, readKeyFile, readMandate, type Session, tokensHeld } from '@legwork/agents';
import { Cluster } from '@legwork/deploy';
import {
  ANY_ARBITER,
  associatedTokenAddress,
  closeMandate,
  createAssociatedToken,
  getMandateSize,
  PERMITS,
  rentMinimum,
  setMandate,
  TOKEN_ACCOUNT_RENT,
  type TokenAsset,
  transferLamports,
  transferTokens,
} from '@legwork/program-client';
import { formatAmount, formatSol, type PaidIn, parseSol, SOL } from '@legwork/sdk';
import { AccountRole, address, type Address, createSolanaRpc, type KeyPairSigner } from '@solana/kit';
import { UserError } from '../screen.js';
import type { Agent } from './agent.js';
import { paidInNamed, unitsOf } from './assets.js';
import { openLines, openListings } from './mandated.js';
import { minuteOf, type Shown } from './output.js';

interface Between {
  /** The delegate, who may list. */
  readonly to: string;
  readonly asset?: string;
}

interface Given extends Between {
  /** The most of each period, whole units of the asset. */
  readonly cap: number;
  /** Hours of a period. */
  readonly every: number;
  /** Days until nothing can be listed any more. */
  readonly days: number;
  /** Hours to the latest deadline. */
  readonly ahead: number;
  readonly for?: 'packages' | 'tasks';
  readonly withTerms?: true;
  readonly arbiter?: string;
  /** The deposit, whole units of the asset. */
  readonly put?: number;
  /** The deposit for rents of listings in a token, SOL; left out: 0.02 into a new one. */
  readonly rents?: number;
}

/** For the rents of a few listings at once. */
const RENTS_SOL = 0.02;
const HOUR = 3_600;
const DAY = 86_400;

/** A mandate, as the ledger has it. */
interface Found extends MandateNow {
  readonly cluster: Cluster;
  readonly program: Address;
  readonly of: PaidIn;
  readonly token: TokenAsset | undefined;
}

/**
 * Lets another key list with money of this one up to a cap for each period, or bounds it anew, and puts money there. Says before what it
 * does. Rules P-114 to P-116.
 */
export async function* give(agent: Agent, input: Given): AsyncGenerator<Shown> {
  const found = await findMandate(agent, input, await agent.pubkey());
  const { of, token, at, cluster, program } = found;
  const [cap, put] = [unitsOf(input.cap, of), input.put === undefined ? 0n : unitsOf(input.put, of)];
  const given = input.rents ?? (found.mandate === undefined ? RENTS_SOL : undefined);
  const rents = token === undefined || given === undefined ? 0n : parseSol(given);
  await requireHeld(found, await agent.pubkey(), put);
  const until = new Date(Date.now() + input.days * DAY * 1000);
  const lines = [
    `${input.to} may list with your money: at most ${formatAmount(cap, of)} in ${input.every} hours, until ${minuteOf(until)}.`,
    'Around the end of a period up to twice that can be listed within the same number of hours.',
    whatItMay(input),
    ...(put > 0n || rents > 0n ? [`Your wallet transfers ${sumOf(put, rents, of)}.`] : []),
    ...(found.mandate === undefined
      ? [`Rent of its accounts, which comes back at its end: ${rentIn(found, put)} SOL.`]
      : []),
    `What is left comes back to you by: ${agent.command(`mandate end --to ${input.to}${assetWords(of)}`)}`,
  ];
  yield { data: undefined, text: lines.join('\n') };
  await agent.requireAgreed('a mandate', lines);
  const owner = await readKeyFile(agent.settings.key);
  const bounds = {
    permits: (input.for === undefined ? PERMITS.packages | PERMITS.tasks : PERMITS[input.for]) | termsBit(input),
    cap,
    period: input.every * HOUR,
    expiresAt: BigInt(Math.floor(until.getTime() / 1000)),
    maxAhead: input.ahead * HOUR,
    arbiter: input.arbiter === undefined ? ANY_ARBITER : address(input.arbiter),
  };
  const signature = await cluster.run(owner, [
    await setMandate(program, { owner, delegate: address(input.to), asset: token }, bounds),
    ...(await puts(owner, found, { put, rents })),
  ]);
  const words = `--mandate ${owner.address}${assetWords(of)}`;
  yield {
    data: { mandate: at, owner: owner.address, delegate: input.to, asset: of.asset, cap, put, signature },
    text: `The mandate is at ${at} (transaction ${signature}).\n${input.to} lists from it with: post … ${words}\nor by its policy: "mandate: ${owner.address}" under ${token === undefined ? 'limits' : 'asset'}`,
  };
}

/** All of its bounds but the cap: those that are left out now are no bounds any more. */
function whatItMay({ for: kind, withTerms, arbiter, ahead }: Given): string {
  const terms =
    arbiter === undefined ? (withTerms ? ', with terms only' : '') : `, with terms only, ruled by ${arbiter}`;
  return `It may list ${kind ?? 'packages and tasks'}${terms}, with deadlines at most ${ahead} hours ahead.`;
}

/** @throws UserError when the wallet has not so much of the token; of SOL the ledger says it */
async function requireHeld({ cluster, of }: Found, owner: string, put: bigint): Promise<void> {
  if (of.token === undefined || put === 0n) return;
  const held = await tokensHeld(cluster.rpc, owner, of);
  if (held >= put) return;
  throw new UserError(`This takes ${formatAmount(put, of)}, but ${owner} has ${formatAmount(held, of)}.`);
}

function rentIn({ token }: Found, put: bigint): string {
  const own = rentMinimum(getMandateSize());
  return formatSol(token === undefined || put === 0n ? own : own + TOKEN_ACCOUNT_RENT);
}

const termsBit = ({ withTerms }: Given) => (withTerms ? PERMITS.onlyWithTerms : 0);

const assetWords = ({ asset }: PaidIn) => (asset === SOL.asset ? '' : ` --asset ${asset}`);

function sumOf(put: bigint, rents: bigint, of: PaidIn): string {
  const parts = [
    ...(put > 0n ? [formatAmount(put, of)] : []),
    ...(rents > 0n ? [`${formatSol(rents)} SOL for the rents of listings`] : []),
  ];
  return parts.join(' and ');
}

/** The instructions that put money into a mandate. */
async function puts(
  owner: KeyPairSigner,
  { token, at }: Found,
  { put, rents }: { readonly put: bigint; readonly rents: bigint },
) {
  const lamports = token === undefined ? put : rents;
  const inSol = lamports > 0n ? [transferLamports(owner.address, at, lamports)] : [];
  if (token === undefined || put === 0n) return inSol;
  return [
    ...inSol,
    await createAssociatedToken(payerOf(owner), at, token.mint),
    await transferTokens(payerOf(owner), at, token.mint, put),
  ];
}

const payerOf = (signer: KeyPairSigner) => ({ address: signer.address, role: AccountRole.WRITABLE_SIGNER, signer });

/** The limits of a mandate now and its balance, as the ledger has them, and its delegate's listings that can still be cancelled. */
export async function show(agent: Agent, input: Between & { readonly owner?: string }): Promise<Shown> {
  const owner = input.owner ?? (await agent.pubkey());
  const { of, at, mandate, held, left } = await findMandate(agent, input, owner);
  if (mandate === undefined) throw new UserError(`${owner} gave ${input.to} no mandate in ${of.asset}.`);
  const open = await openListings(agent, input.to, at);
  const ends = mandate.expiresAt === 0n ? 'no end' : minuteOf(new Date(Number(mandate.expiresAt) * 1000));
  const text = [
    `${input.to} lists with money of ${owner}, from ${at}`,
    `  ${formatAmount(left, of)} can be listed now; ${formatAmount(held, of)} lie there`,
    `  at most ${formatAmount(mandate.cap, of)} in ${mandate.period / HOUR} hours, until: ${ends}`,
    ...openLines(open, of),
  ];
  return {
    data: { mandate: at, owner, delegate: input.to, asset: of.asset, left, held, cap: mandate.cap, open },
    text: text.join('\n'),
  };
}

/** Ends a mandate: what lies in it comes back. Says before what is still open, which its owner cancels only while it is there. Rule P-119. */
export async function* end(agent: Agent, input: Between): AsyncGenerator<Shown> {
  const owner = await readKeyFile(agent.settings.key);
  const { of, token, at, mandate, held, cluster, program } = await findMandate(agent, input, owner.address);
  if (mandate === undefined) throw new UserError(`${owner.address} gave ${input.to} no mandate in ${of.asset}.`);
  const open = await openListings(agent, input.to, at);
  if (open.length > 0) yield { data: undefined, text: [...openLines(open, of), STILL_OPEN].join('\n') };
  const purse = token && (await associatedTokenAddress(at, token.mint));
  const hasTokens = purse !== undefined && (await cluster.dataOf(purse)) !== undefined;
  const signature = await cluster.run(owner, [
    // The tokens come to an account that exists.
    ...(token && hasTokens ? [await createAssociatedToken(payerOf(owner), owner.address, token.mint)] : []),
    await closeMandate(program, { owner, delegate: address(input.to), asset: token }, hasTokens),
  ]);
  const text = [
    `The mandate has ended (transaction ${signature}); ${formatAmount(held, of)} are back, and its rents.`,
    'What returns from listings that are still open goes to its address: give it again and end it again to have that.',
  ];
  yield {
    data: { mandate: at, delegate: input.to, asset: of.asset, returned: held, signature, open },
    text: text.join('\n'),
  };
}

const STILL_OPEN =
  'After the end of the mandate your key can do this once you have given it again, with --cap 0 if you like; the other key can at any time.';

async function findMandate(agent: Agent, { to, asset }: Between, owner: string): Promise<Found> {
  const { config }: Session = await agent.session();
  const rpc = createSolanaRpc(agent.settings.rpc ?? config.rpcUrl);
  const of = await paidInNamed(agent, asset ?? SOL.asset);
  const found = await readMandate(rpc, config.programId, { owner, delegate: to, of });
  return { ...found, cluster: new Cluster(rpc), program: address(config.programId), of, token: of.token };
}
