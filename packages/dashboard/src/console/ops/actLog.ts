import { verifyRequest } from '@legwork/protocol/contract';
import type { LegworkClient, Page } from '@legwork/sdk';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { Outcome } from '../../checks/outcome.js';
import type { Opened } from './session.js';
import type { One } from './words.js';
import { t } from '../../language.js';

export type ActRow = Awaited<ReturnType<LegworkClient['listOperatorActs']>>['items'][number];

export const ACTS_KEY = ['operatorActs'] as const;

/** How often is looked who else had something done, milliseconds. */
const LOOK_EVERY_MS = 15_000;

/** The acts, newest first, page by page; nobody but an operator reads them. */
export function useActs(opened: Opened | undefined) {
  return useInfiniteQuery({
    queryKey: [...ACTS_KEY, opened?.key],
    queryFn: async ({ pageParam: cursor }): Promise<Page<ActRow>> =>
      (await opened?.client.listOperatorActs(cursor === undefined ? {} : { cursor })) ?? {
        items: [],
        nextCursor: undefined,
      },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.nextCursor,
    select: ({ pages }) => pages.flatMap(({ items }) => items),
    enabled: opened !== undefined,
    refetchInterval: LOOK_EVERY_MS,
    staleTime: 0,
    retry: false,
  });
}

/** What was asked for about this since it began, newest first. */
export function actsOn({ intentId, kind, subject, since }: One, acts: readonly ActRow[]): ActRow[] {
  const targets = new Set([`intent:${intentId}`, `intents:${kind}`, subject]);
  return acts.filter(({ target, at }) => targets.has(target) && (since === null || at >= since));
}

/** Whether the operator's key signed exactly what the row says. @param act a row of the log */
export async function checkAct({ operatorPubkey, text, body, signature, ...said }: ActRow): Promise<Outcome> {
  const [, method = '', host = '', path = '', nonce = '', bodySha256 = ''] = text.split('\n');
  const headers = { 'X-Pubkey': operatorPubkey, 'X-Nonce': nonce, 'X-Signature': signature };
  // Fresh when it was signed: it is looked at long after.
  const verified = verifyRequest({ method, host, path, bodySha256 }, headers, Number.parseInt(nonce, 10));
  if (!verified.ok || verified.text !== text) return differs(t('The signature is not of this text by this key.'));
  if (method !== 'POST' || !path.endsWith('/operations/acts'))
    return differs(t('The text is of {method} {path}.', { method, path }));
  if (body === null) return { holds: true, seen: t('signed; what was asked was not kept then') };
  if ((await sha256(body)) !== bodySha256) return differs(t('What was asked is not what was signed.'));
  const asked = targetOf(JSON.parse(body) as Record<string, string>, operatorPubkey);
  return asked.act === said.act && asked.targets.includes(said.target)
    ? { holds: true, seen: t('signed') }
    : differs(t('Signed was {body}.', { body }));
}

const differs = (difference: string): Outcome => ({ holds: false, difference });

/** What the log may say that such a body is about. */
function targetOf({ act = '', key, intentId, kind, listingId, differences }: Record<string, string>, signer: string) {
  const targets = {
    open: [`key:${key}`],
    close: [`key:${key ?? signer}`],
    retry: [intentId === undefined ? `intents:${kind}` : `intent:${intentId}`],
    heal: listingId === undefined ? ['halted'] : [`package:${listingId}`, `task:${listingId}`],
    sweep: ['service'],
    audit: [`differences:${differences}`],
  }[act];
  return { act, targets: targets ?? [] };
}

async function sha256(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
