import { type LookupMatch, pagePath, readLookup } from '@legwork/protocol/contract';
import { m, type Message, t } from '../language.js';

/** Something that a search found, and the path of its page. */
export interface Finding {
  readonly kind: string;
  readonly title: string;
  readonly path: string;
}

const KINDS: Readonly<Record<LookupMatch['kind'], Message>> = {
  package: m('Package'),
  task: m('Task'),
  swarm: m('Chain of'),
  leg: m('Leg of'),
  taskLeg: m('Leg of'),
  agent: m('Agent'),
  transaction: m('Transaction'),
};

/** What a match of a text is, and where it is shown: an account of the ledger by the page of accounts. */
export function findingOf(text: string, { kind, id, field, packageId, taskId, title }: LookupMatch): Finding {
  const isAccount = field.startsWith('onChain');
  const named = { kind: t(isAccount ? m('Account of') : KINDS[kind]), title: title?.trim() || id.slice(-6) };
  if (isAccount) return { ...named, path: pagePath('account', text) };
  if (kind === 'transaction') return { ...named, path: pagePath('transaction', id) };
  if (kind === 'agent') return { ...named, path: pagePath('agent', id) };
  if (packageId !== null) return { ...named, path: pagePath('package', packageId) };
  return { ...named, path: pagePath('task', taskId ?? id) };
}

/** Something that is called so. */
export const called = (kind: 'package' | 'task' | 'agent', id: string, title: string): Finding => ({
  kind: t(KINDS[kind]),
  title: title.trim().slice(0, 80) || id.slice(-6),
  path: pagePath(kind, id),
});

/** Where the ledger may know what nobody here does. */
export function onLedger(text: string): Finding | undefined {
  const { address, signature } = readLookup(text);
  if (signature !== undefined)
    return { kind: t('Transaction'), title: t('on the ledger'), path: pagePath('transaction', signature) };
  if (address !== undefined)
    return { kind: t('Account'), title: t('on the ledger'), path: pagePath('account', address) };
  return undefined;
}
