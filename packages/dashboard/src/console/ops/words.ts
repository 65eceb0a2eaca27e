import type { LegworkClient } from '@legwork/sdk';
import type { Operations } from './Ops.js';
import { m, type Message, t } from '../../language.js';

export type One = Operations['attention'][number];
export type Asked = Parameters<LegworkClient['actAsOperator']>[0];

/** What several of a kind are called. */
const TITLES: Readonly<Record<One['of'], Message>> = {
  ledger: m('The ledger is silent'),
  funds: m('The coordinator has too little'),
  halt: m('Halted listings'),
  intent: m('Left to do on the ledger'),
  clock: m('Due, and nobody acts'),
  events: m('Events without a number'),
  files: m('No room for files'),
  webhook: m('Webhooks that fail'),
  dispute: m('Disputes near their end'),
  history: m('Listings whose history is missing'),
  audit: m('The audit found differences'),
};

/** What a button does and costs, said before it does it. */
export const SAYS = {
  retry: m(
    'The service tries it now. It looks on the ledger first and repeats nothing that has happened; the coordinator pays what the work costs anyway, its fee and rents.',
  ),
  heal: m(
    'The service reads the history of it from the ledger and writes it here as it stands there. It costs reads, and no money.',
  ),
  sweep: m(
    'Every worker of the process that answers looks now for what is due. What is due is done once; the coordinator pays its fees as always.',
  ),
} as const;

/** Acts that a button does. */
export type Act = keyof typeof SAYS;

/** Several of a kind, which one act can be for. */
export interface Group {
  readonly title: string;
  readonly kind: string | null;
  readonly items: One[];
}

/** What needs attention by kind, in the order it came in: the worst first. */
export function groupsOf(attention: readonly One[]): Group[] {
  const groups = new Map<string, Group>();
  for (const one of attention) {
    const named = t(TITLES[one.of]);
    const title = one.kind === null ? named : `${named}: ${one.kind}`;
    const group = groups.get(title) ?? { title, kind: one.kind, items: [] };
    group.items.push(one);
    groups.set(title, group);
  }
  return [...groups.values()];
}

/** What is asked for one thing. */
export function askFor(act: Act, { intentId, subject }: One): Asked {
  if (act === 'retry') return { act, intentId: intentId ?? '' };
  return act === 'heal' ? { act, listingId: subject?.slice(subject.indexOf(':') + 1) ?? '' } : { act };
}

/** What is asked for all of a kind. */
export function askForAll(act: Act, { kind }: Group): Asked {
  return act === 'retry' ? { act, kind: kind ?? '' } : { act };
}
