/** One Ctrl-C may arrive twice: from the terminal and, a moment later, forwarded by npm. */
const SAME_KEYPRESS_MS = 700;

/** The person, or the system, asks this process to end. */
export interface StopSignal {
  /** Aborted by the first Ctrl-C, SIGTERM or hang-up, or by the end of a parent that held a channel to this process. */
  readonly signal: AbortSignal;
  /** Resolves at the same moment. */
  readonly requested: Promise<void>;
}

/**
 * Takes over SIGINT, SIGTERM and SIGHUP for the rest of this process. A process started with an IPC channel also stops when
 * that closes: whoever started it for its own use has vanished.
 *
 * @param onForce - a second Ctrl-C: it does not wait for an orderly end
 */
export function listenForStop(onForce: () => void): StopSignal {
  const controller = new AbortController();
  let firstAt: number | undefined;
  const stop = () => {
    firstAt ??= Date.now();
    if (controller.signal.aborted && Date.now() - firstAt > SAME_KEYPRESS_MS) onForce();
    controller.abort();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  process.on('SIGHUP', stop);
  process.once('disconnect', stop);
  const requested = new Promise<void>((resolve) => {
    controller.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  return { signal: controller.signal, requested };
}
