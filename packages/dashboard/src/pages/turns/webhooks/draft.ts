import { operations, type WebhookFilter, type WebhookView } from '@legwork/protocol/contract';
import { LegworkApiError } from '@legwork/sdk';
import { shortened } from '../../../ui/shortened.js';
import { readNumber } from '../../post/draft.js';

export const SIGNING = 'Waiting for your wallet to sign.';

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
    const radius = readNumber(typed.radiusKm, 'a radius in kilometres');
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
  faults[field] ??= `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
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
    agent && `listings that ${shortened(agent)} posted, bid on or worked on`,
    parcel && `package ${shortened(parcel)}`,
    task && `digital task ${shortened(task)}`,
    near && `packages within ${radiusKm} km of ${near.replace(',', ', ')}`,
  ].filter((one) => one !== undefined);
  const types = topics?.replaceAll(',', ', ') ?? 'Everything';
  return about.length === 0 ? types : `${types}, of ${about.join(' and ')}`;
}

/** Those that need somebody first. */
export function byNeed(hooks: readonly WebhookView[]): WebhookView[] {
  const needs = ({ status }: WebhookView) => ['active', 'failing', 'disabled'].indexOf(status);
  return [...hooks].sort((a, b) => needs(b) - needs(a));
}
