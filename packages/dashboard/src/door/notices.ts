import type { LegworkClient } from '@legwork/sdk';
import { t } from '../language.js';

/** Which subscription of the service this browser has, by the key that it is for. */
const KEPT = 'legwork-push';

interface Kept {
  readonly id: string;
  readonly pubkey: string;
  /** When the service was last told, milliseconds since 1970. */
  readonly at: number;
}

/** The service ends a subscription that its push service refuses once, and one that nobody renews. */
const RENEWED_AFTER_MS = 7 * 24 * 3_600_000;

/** Whether this browser is told of the turns of a key. */
export function isTold(pubkey: string): boolean {
  return kept()?.pubkey === pubkey;
}

function kept(): Kept | undefined {
  try {
    return JSON.parse(localStorage.getItem(KEPT) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

/**
 * Asks the browser, and has the service told where it is to be told. Rule D-76.
 *
 * @param key of the service, `pushPublicKey` of its configuration
 * @throws Error in words for people
 */
export async function beTold(client: LegworkClient, pubkey: string, key: string): Promise<void> {
  const worker = navigator.serviceWorker as ServiceWorkerContainer | undefined;
  if (worker === undefined || !('PushManager' in window)) {
    throw new Error(
      t(
        'This browser cannot show notices. On an iPhone, add this page to the home screen first and open it from there.',
      ),
    );
  }
  if ((await Notification.requestPermission()) !== 'granted') {
    throw new Error(t('This page may not show notices. Allow them in the browser settings.'));
  }
  await subscribe(client, pubkey, key);
}

/** Renews the subscription once a week, while notices are still wanted. It asks the person nothing; a failure is retried at the next visit. */
export async function stayTold(client: LegworkClient, pubkey: string, key: string): Promise<void> {
  const { at } = kept() ?? { at: Number.POSITIVE_INFINITY };
  if (isTold(pubkey) && Date.now() - at > RENEWED_AFTER_MS && Notification.permission === 'granted') {
    await subscribe(client, pubkey, key);
  }
}

async function subscribe(client: LegworkClient, pubkey: string, key: string): Promise<void> {
  const { pushManager } = await navigator.serviceWorker.ready;
  const how = { userVisibleOnly: true, applicationServerKey: key };
  const subscription = await pushManager.subscribe(how).catch((error: unknown) => {
    throw new Error(t("The browser's own push service does not answer. Try again later."), { cause: error });
  });
  const { endpoint, keys } = subscription.toJSON();
  const { p256dh, auth } = keys ?? {};
  if (endpoint === undefined || p256dh === undefined || auth === undefined) {
    throw new Error(t('This browser gave no address for notices.'));
  }
  const { id } = await client.subscribePush({ endpoint, keys: { p256dh, auth } });
  localStorage.setItem(KEPT, JSON.stringify({ id, pubkey, at: Date.now() } satisfies Kept));
}

/** Ends it on both sides. */
export async function beToldNoMore(client: LegworkClient): Promise<void> {
  const { id } = kept() ?? {};
  const registration = await navigator.serviceWorker.getRegistration();
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
  if (id !== undefined) await client.unsubscribePush({ subscriptionId: id });
  localStorage.removeItem(KEPT);
}
