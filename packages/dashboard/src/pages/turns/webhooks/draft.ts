import { operations, type WebhookFilter, type WebhookView } from '@legwork/protocol/contract';
import { LegworkApiError } from '@legwork/sdk';
import { shortened } from '../../../ui/shortened.js';
import { readNumber } from '../../post/draft.js';
import { m, t } from '../../../language.js';

export const SIGNING = m('Waiting for your wallet to sign.');

/** What somebody typed who wants events posted. */
export type Typed = Readonly<Record<'url' | 'secret' | Filtering, string>>;
type Filtering = keyof WebhookFilter;
export type Faults = Partial<Record<keyof Typed, string>>;

export const EMPTY: Typed = {
  url: '',
  secret: '',
  agent: '',
  package: '',
  task: '',
  near: '',
  radiusKm: '',
  topics: '',
};

/** Its receiver needs it before it is asked whether it wants events, so it is made here. */
export function newSecret(): string {
  return `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`;
}

/** The webhook that is meant, or what is wrong by the contract itself, by field. */
export function readTyped(typed: Typed) {
  const { url, secret, ...filtering } = typed;
  const faults: Faults = {};
  // People put spaces between places and names.
  const given = Object.entries(filtering).flatMap(([field, text]) => {
    const said = field === 'radiusKm' ? text.trim() : text.replace(/\s+/g, '');
    return said === '' ? [] : [[field, said] as const];
  });
  const filter: Record<string, unknown> = Object.fromEntries(given);
  if ('radiusKm' in filter) {
    const radius = readNumber(typed.radiusKm, t('a radius in kilometres'));
    if (typeof radius === 'string') faults.radiusKm = radius;
    filter['radiusKm'] = radius;
  }
  const input = { url: url.trim(), secret: secret.trim(), filter };
  const { error } = operations.registerWebhook.body.safeParse(input);
  for (const { path, message } of error?.issues ?? []) note(faults, String(path.at(-1)), message);
  return Object.keys(faults).length === 0 ? { input } : { faults };
}

const isField = (name: string): name is keyof Typed => name in EMPTY;

/** The first fault of a field is told. @returns whether there is such a field */
function note(faults: Faults, field: string, message: string): boolean {
  if (!isField(field)) return false;
  const said = t(message);
  faults[field] ??= `${said.charAt(0).toUpperCase()}${said.slice(1)}.`;
  return true;
}

/** What the service refused, by field; undefined: something that no field is to blame for. */
export function refusedFields(error: unknown): Faults | undefined {
  if (!(error instanceof LegworkApiError)) return undefined;
  const faults: Faults = {};
  const isToBlame = error.errors.map(({ field, message }) => note(faults, field.split('.').at(-1) ?? '', message));
  return isToBlame.includes(true) ? faults : undefined;
}

/** Which events a webhook is told of. */
export function filterWords({ topics, agent, package: parcel, task, near, radiusKm = 25 }: WebhookFilter): string {
  const about = [
    agent && t('listings that {key} posted, bid on or worked on', { key: shortened(agent) }),
    parcel && t('package {id}', { id: shortened(parcel) }),
    task && t('digital task {id}', { id: shortened(task) }),
    near && t('packages within {km} km of {place}', { km: radiusKm, place: near.replace(',', ', ') }),
  ].filter((one) => one !== undefined);
  const types = topics?.replaceAll(',', ', ') ?? t('Everything');
  if (about.length === 0) return types;
  const all = about.reduce((before, one) => t('{before} and {one}', { before, one }));
  return t('{types}, of {about}', { types, about: all });
}

/** Those that need somebody first. */
export function byNeed(hooks: readonly WebhookView[]): WebhookView[] {
  const needs = ({ status }: WebhookView) => ['active', 'failing', 'disabled'].indexOf(status);
  return [...hooks].sort((a, b) => needs(b) - needs(a));
}
