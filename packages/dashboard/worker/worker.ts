/**
 * The service worker. It keeps the shells and scripts of the pages that are used at a door, where there may be no network, and shows notices.
 * What the service says is never taken from here but by a page that says that it did. Rule D-81.
 */
declare const self: ServiceWorkerGlobalScope;

const PAGES = 'legwork-pages';
const ASSETS = 'legwork-assets';
/** Used at doors. Others need the service anyway. */
const AT_DOORS = /\/(?:track\/[^/]+|courier|me)$/u;
/** Of the scripts of earlier releases. */
const MOST_ASSETS = 200;
const PATIENCE_MS = 4_000;

self.addEventListener('install', () => void self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== location.origin) return;
  const isPage = request.mode === 'navigate' || request.headers.get('accept') === 'text/html';
  if (isPage && AT_DOORS.test(url.pathname)) event.respondWith(page(request, url));
  else if (/\/assets\/[^/]+$/u.test(url.pathname)) event.respondWith(asset(request));
});

/** What the service tells a phone. It says nothing that may not stand on a locked screen. Rule D-76. */
interface Notice {
  readonly title: string;
  readonly body: string;
  /** Of the page that it is about, relative to where the service is. */
  readonly url: string;
  /** One of a leg takes the place of the one before. */
  readonly tag: string;
}

self.addEventListener('push', (event) => {
  const notice: Notice | undefined = event.data?.json();
  if (notice === undefined) return;
  const { title, body, url, tag } = notice;
  event.waitUntil(self.registration.showNotification(title, { body, tag, data: url }));
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(show(new URL(String(event.notification.data), self.registration.scope)));
});

/** A page of this service; who can push could lead to no other. What is typed into another page stays. */
async function show(url: URL): Promise<void> {
  if (url.origin !== location.origin) return;
  const open = await self.clients.matchAll({ type: 'window' });
  const paths = await Promise.all(open.map(pathOf));
  const same = open[paths.indexOf(url.pathname)];
  await (same ? same.focus() : self.clients.openWindow(url));
}

/** Browsers let nothing be opened that comes much later than the press. */
const ANSWERS_MS = 300;

/** Which page a window shows by now, as it says itself: its `url` is the one that it was opened with. @returns undefined: it does not say */
function pathOf(client: WindowClient): Promise<string | undefined> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', ({ data }) => resolve(String(data)));
    port1.start();
    client.postMessage('', [port2]);
    setTimeout(resolve, ANSWERS_MS, undefined);
  });
}

/** The page from the service while it answers, else as it was kept: one for all packages, since what it shows is asked for. */
async function page(request: Request, url: URL): Promise<Response> {
  const cache = await caches.open(PAGES);
  const name = url.pathname.replace(/\/track\/[^/]+$/u, '/track/any');
  try {
    const answer = await fetch(request, { signal: AbortSignal.timeout(PATIENCE_MS) });
    if (answer.ok) await cache.put(name, answer.clone()).catch(() => undefined);
    return answer;
  } catch {
    return (await cache.match(name, { ignoreVary: true })) ?? Response.error();
  }
}

/** Scripts and styles never change under their names. */
async function asset(request: Request): Promise<Response> {
  const cache = await caches.open(ASSETS);
  // How it was asked for makes no difference to what it is.
  const kept = await cache.match(request, { ignoreVary: true });
  if (kept !== undefined) return kept;
  const answer = await fetch(request);
  if (answer.ok) {
    await cache.put(request, answer.clone()).catch(() => undefined);
    const names = await cache.keys();
    await Promise.all(names.slice(0, -MOST_ASSETS).map((old) => cache.delete(old)));
  }
  return answer;
}
