/** One Ctrl-C may arrive twice: from the terminal and, a moment later, forwarded by npm. */
const SAME_KEYPRESS_MS = 700;

/** The user or the system asks this process to end. */
export interface StopSignal {
  /** Aborted by the first Ctrl-C, SIGTERM or hang-up, or when a parent with an IPC channel to this process is gone. */
  readonly signal: AbortSignal;
  /** Resolves at the same moment. */
  readonly requested: Promise<void>;
}

/**
 * Takes over SIGINT, SIGTERM and SIGHUP for the rest of this process. A process with an IPC channel also stops when
 * that closes: its parent is gone.
 *
 * @param onForce - called at a second Ctrl-C, to end without order
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
