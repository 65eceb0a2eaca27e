const OF_PAGES = /\/assets\/[^/]+\.(?:js|css)$/u;

/** The worker asks which page this window shows by now. */
const sayWhere = ({ ports: [port] }: MessageEvent) => port?.postMessage(window.location.pathname);

/**
 * Has the service worker keep this page for where there is no network, from the first time that it is shown. Rule D-81.
 *
 * @param base what stands before every path of the service
 */
export async function keepOffline(base: string | URL): Promise<void> {
  // Undefined over plain http.
  const worker = navigator.serviceWorker as ServiceWorkerContainer | undefined;
  if (worker === undefined) return;
  worker.addEventListener('message', sayWhere);
  worker.startMessages();
  await worker.register(new URL('worker.js', base));
  if (worker.controller === null) {
    await new Promise((resolve) => worker.addEventListener('controllerchange', resolve, { once: true }));
  }
  // What came before the worker was there is asked for again, which costs nothing: the browser has it.
  const loaded = performance.getEntriesByType('resource').map(({ name }) => name);
  await Promise.all(loaded.filter((name) => OF_PAGES.test(name)).map((name) => fetch(name)));
  await fetch(window.location.pathname, { headers: { accept: 'text/html' } });
}
