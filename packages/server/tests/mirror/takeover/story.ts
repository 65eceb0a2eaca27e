import type { DigitalTaskDetail, PackageDetail, Papers } from '@legwork/sdk';
import type { Party, TestService } from '../../support/service.js';
import { type Book, move, type PaidLeg, payAll } from './books.js';

/** How a listing is made. */
export interface Making {
  readonly service: TestService;
  /** True if somebody keeps its document, to give it to whoever takes over. */
  readonly hasPapers: boolean;
}

/** A listing that one service begins and another one ends: who takes part, what they do that no turn tells them, what it comes to. */
export interface Story {
  readonly kind: 'package' | 'task';
  readonly id: string;
  readonly lister: Party;
  readonly others: readonly Party[];
  /** The address that pays; the lister, unless told. */
  readonly funder?: string;
  /** It pays in tokens, of which these have been given some for trials; undefined: it pays in SOL. */
  readonly given?: readonly Party[];
  /** Does nothing that a turn asks of it. */
  readonly silent?: Party;
  /** The share that the arbiter leaves the worker. */
  readonly percent?: number;
  /** The moves that people make once they can act again; turns tell the rest. */
  readonly goOn?: () => Promise<unknown>;
  /** How it ends; what is reclaimed, its lister reclaims once its deadline has passed. */
  readonly end: 'delivered' | 'completed' | 'cancelled' | 'reclaimed';
  /** The payments in the end. */
  readonly paid?: () => readonly PaidLeg[];
  /** Stakes that silence costs, for the funder. */
  readonly lost?: readonly { agent: string; stake: bigint }[];
}

export interface Made extends Story {
  readonly name: string;
  readonly papers: Papers | undefined;
  /** With terms: who works in it has opened a reputation account (T-54). */
  readonly isBound: boolean;
}

export type Plot = (making: Making) => Promise<Story>;

/** The gains of its people, by the rules of the program. */
export function dueOf({ lister, funder = lister.pubkey, paid, lost = [] }: Story): Book {
  const book: Book = new Map();
  payAll(book, funder, paid?.() ?? []);
  for (const { agent, stake } of lost) move(book, agent, funder, stake);
  return book;
}

/** The payments that the legs of a package were formed for. */
export const formedFor = ({ swarm }: PackageDetail): PaidLeg[] =>
  (swarm?.legs ?? []).map(({ agentPubkey: agent, agreedPayment: agreed }) => ({ agent, agreed }));

/** The pay of an agent for each leg of a digital task: all the same. Rule P-70. */
export const shareOf = ({ maxBudget, numLegs }: DigitalTaskDetail): bigint => maxBudget / BigInt(numLegs);
