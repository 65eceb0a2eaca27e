import { type DigitalTaskDetail, parseSol, resultHash } from '@legwork/sdk';
import type { Address, KeyPairSigner } from '@solana/kit';
import type { Due } from '../audit/histories.js';
import { assigning, confirming, releasing } from '../audit/ledgerHistory.js';
import type { LegRecord } from '../tasks/leg.js';
import { type Bound, dividedStakes } from './bound.js';
import type { TaskPlot, TaskTermsStory } from './story.js';

/** The parties of a digital task with terms. */
export interface TaskRoles {
  readonly poster: KeyPairSigner;
  readonly first: KeyPairSigner;
  /** Does the second leg, or takes the place of the first. */
  readonly second: KeyPairSigner;
  readonly receiver: KeyPairSigner;
  readonly arbiter: KeyPairSigner;
  readonly coordinator: Address;
}

/** An agent's result. */
export function resultIn({ number }: TaskTermsStory, index: number, { address }: KeyPairSigner): string {
  return `Text ${number}, part ${index + 1}, proofread by ${address}.`;
}

/** By the rules alone: what the program moves is not asked of the service. */
export function boundTaskBy(
  story: TaskTermsStory,
  roles: TaskRoles,
  listing: DigitalTaskDetail,
): Bound & { readonly legs: readonly LegRecord[] } {
  const stake: bigint = parseSol(story.stakeSol);
  const { plot, percent } = story;
  const { first, receiver, poster, arbiter } = roles;
  const forfeitedLamports = plot === 'overdue' ? stake : 0n;
  const disputer = { judged: receiver, rejected: poster }[plot as string];
  const divided =
    disputer && dividedStakes(stake, plot === 'judged' ? percent : 0, { worker: first, disputer, arbiter });
  return {
    plot,
    moves: movesIn(story, roles, listing),
    percents: plot === 'judged' ? [percent] : [],
    stakes: divided ?? [
      [first.address, -forfeitedLamports],
      [listing.funderPubkey, forfeitedLamports],
    ],
    intents: plot === 'unread' || plot === 'judged' || plot === 'overdue' ? ['crank_leg'] : [],
    lost: [],
    forfeitedLamports,
    legs: recordsIn(story, roles),
  };
}

function recordsIn(story: TaskTermsStory, { first, second }: TaskRoles): LegRecord[] {
  const by = (index: number, agent: KeyPairSigner, givenUp: Address[] = []): LegRecord => ({
    givenUp,
    taken: { agent: agent.address, result: resultIn(story, index, agent) },
  });
  if (story.plot === 'verified') return [by(0, first), by(1, second)];
  if (story.plot === 'unread' || story.plot === 'judged') return [by(0, first)];
  return [by(0, second, [first.address])];
}

function movesIn(story: TaskTermsStory, roles: TaskRoles, listing: DigitalTaskDetail): Due[] {
  const { first, second, receiver, poster, coordinator } = roles;
  const { begun, lost, delivered, confirmed, disputed } = deedsOf(story, roles, listing);
  const replaced = (by: KeyPairSigner): Due[] => [lost, ...delivered(0, second), confirmed(0, second, by.address)];
  const moves: Readonly<Record<TaskPlot, () => Due[]>> = {
    verified: () => {
      const [one, other] = [confirmed(0, first, poster.address), confirmed(1, second, receiver.address)];
      return [...delivered(0, first), one, ...delivered(1, second), other];
    },
    unread: () => [...delivered(0, first), confirmed(0, first, coordinator)],
    judged: () => [...delivered(0, first), ...disputed(receiver), confirmed(0, first, coordinator)],
    rejected: () => [...delivered(0, first, null), ...disputed(poster), ...replaced(poster)],
    left: () => [...begun(0, first, null), [['vacate'], first.address, null], ...replaced(receiver)],
    overdue: () => [...begun(0, first, null), [['vacate'], coordinator, null], ...replaced(poster)],
  };
  return moves[story.plot]();
}

/** The deeds of its people; the service shows the last assignment of a leg only. */
function deedsOf(story: TaskTermsStory, { first, arbiter, coordinator }: TaskRoles, { legs }: DigitalTaskDetail) {
  const begun = (index: number, agent: KeyPairSigner, signature: string | null): Due[] => [
    [[assigning(index, agent.address)], coordinator, signature],
    [['accept'], agent.address, null],
  ];
  const delivered = (index: number, agent: KeyPairSigner, signature = legs[index]?.assignSignature ?? null): Due[] => [
    ...begun(index, agent, signature),
    [['claim'], agent.address, null],
  ];
  const confirmed = (index: number, agent: KeyPairSigner, by: Address): Due => {
    const { hex } = resultHash(resultIn(story, index, agent));
    return [[confirming(index, agent.address, hex)], by, legs[index]?.confirmSignature ?? null];
  };
  const disputed = (by: KeyPairSigner): Due[] => [
    [['dispute'], by.address, null],
    [['rule'], arbiter.address, null],
  ];
  const lost: Due = [[releasing(0, first.address)], coordinator, null];
  return { begun, delivered, confirmed, disputed, lost };
}
