import { createLegworkClient, type LegworkClient } from '@legwork/sdk';
import {
  createKeyPairSignerFromPrivateKeyBytes,
  generateKeyPairSigner,
  getBase58Encoder,
  type KeyPairSigner,
} from '@solana/kit';
import { useSyncExternalStore } from 'react';
import { serviceUrl } from '../../data/shell.js';
import { actingFor, type Session } from '../../wallet/session.js';

/** A key that an operator opened, and who asks with it. */
export interface Opened {
  readonly key: string;
  readonly client: LegworkClient;
}

const KEPT = 'legwork-operator';

let current: Opened | undefined;
const listeners = new Set<() => void>();

function set(signer: KeyPairSigner | undefined): void {
  // A person is not made to wait for a crowded service.
  current = signer && { key: signer.address, client: createLegworkClient({ url: serviceUrl, signer, patienceMs: 0 }) };
  for (const listener of listeners) listener();
}

/** The wallet signs once: that a key which this page makes, and cannot show, may act for an hour. Rule S-262. */
export async function openWith(session: Session): Promise<void> {
  const signer = await generateKeyPairSigner();
  await actingFor(session).client.actAsOperator({ act: 'open', key: signer.address });
  set(signer);
}

/** Closes the key, for whoever else has its address, and forgets it here. */
export function leave(): void {
  // A service that is away closes nothing: its hour ends by itself.
  void current?.client.actAsOperator({ act: 'close' }).catch(() => undefined);
  keepSecret(undefined);
  set(undefined);
}

/** Takes the key that came with the address, which no service has seen, and clears the address; else the one of this tab. */
async function take(): Promise<void> {
  const { hash, pathname, search } = window.location;
  const isSecret = /^#[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(hash);
  const secret = isSecret ? hash.slice(1) : keptSecret();
  if (isSecret) window.history.replaceState(null, '', pathname + search);
  if (secret === null) return;
  try {
    set(await createKeyPairSignerFromPrivateKeyBytes(Uint8Array.from(getBase58Encoder().encode(secret))));
    keepSecret(secret);
  } catch {
    // What came with the address is no key: the page says how to get one.
    keepSecret(undefined);
  }
}

/** Of this tab, until it is closed: who reloads the page stays in. */
function keepSecret(secret: string | undefined): void {
  try {
    if (secret === undefined) sessionStorage.removeItem(KEPT);
    else sessionStorage.setItem(KEPT, secret);
  } catch {
    // A browser that keeps nothing asks for another address.
  }
}

function keptSecret(): string | null {
  try {
    return sessionStorage.getItem(KEPT);
  } catch {
    return null;
  }
}

// Nothing is shown before it is known whether this tab has a key.
await take();
window.addEventListener('hashchange', () => void take());

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The key that acts on this page; undefined: none. */
export function useOpened(): Opened | undefined {
  return useSyncExternalStore(subscribe, () => current);
}
