/** The part of the standard WebSocket that the SDK uses. */
export interface Socket {
  addEventListener(type: 'open' | 'error' | 'close', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  close(): void;
}

/** A WebSocket constructor: the browser's, Node's, or that of the package `ws`. */
export type SocketConstructor = new (url: string) => Socket;

/** The platform's WebSocket; Node before 22 has none, there it is that of `ws`. */
export async function platformSocket(): Promise<SocketConstructor> {
  const platform = (globalThis as { WebSocket?: SocketConstructor }).WebSocket;
  return platform ?? (await import('ws')).WebSocket;
}
