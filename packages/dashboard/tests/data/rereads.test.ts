import type { LegworkEvent } from '@legwork/protocol/contract';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Rereads } from '../../src/data/rereads.js';
import { anEvent } from './anEvent.js';

const { packageId } = anEvent('LEG_CONFIRMED');
let isSeen = true;
let restsUntil = 0;
let client: QueryClient;
let rereads: Rereads;

/** A question that somebody looks at, and how often it was asked. */
async function watched(queryKey: readonly unknown[], answerAfterMs = 20, failing = false) {
  const ask = vi.fn<() => Promise<{ at: number }>>(async () => {
    await new Promise((resolve) => setTimeout(resolve, answerAfterMs));
    if (failing) throw new Error('no answer');
    return { at: Date.now() };
  });
  const observer = new QueryObserver(client, { queryKey, queryFn: ask, staleTime: Infinity, retry: false });
  const forget = observer.subscribe(() => undefined);
  await vi.advanceTimersByTimeAsync(answerAfterMs + 10_000);
  ask.mockClear();
  return { ask, forget, observer };
}

/** A market in which something happens twenty times a second. */
async function busy(seconds: number, event: LegworkEvent): Promise<void> {
  for (let tick = 0; tick < seconds * 20; tick += 1) {
    rereads.after([event]);
    await vi.advanceTimersByTimeAsync(50);
  }
}

beforeEach(() => {
  vi.useFakeTimers();
  isSeen = true;
  restsUntil = 0;
  client = new QueryClient();
  rereads = new Rereads(client, { isSeen: () => isSeen, restsUntil: () => restsUntil });
});
afterEach(() => {
  client.clear();
  vi.useRealTimers();
});

describe('reading again what events change', () => {
  it('asks for a list of a busy market at most some ten times a minute, and for one thing once a second (D-6)', async () => {
    const relays = await watched(['listRelays', {}]);
    const thing = await watched(['getPackage', { packageId }]);
    await busy(60, anEvent('LEG_CONFIRMED'));
    expect(relays.ask.mock.calls.length).toBeGreaterThanOrEqual(6);
    expect(relays.ask.mock.calls.length).toBeLessThanOrEqual(11);
    expect(thing.ask.mock.calls.length).toBeGreaterThanOrEqual(40);
    expect(thing.ask.mock.calls.length).toBeLessThanOrEqual(76);
  });

  it('shows what the last event changed, however slowly the service answers (D-6)', async () => {
    const { ask, observer } = await watched(['getPackage', { packageId }], 5_000);
    await busy(30, anEvent('LEG_CONFIRMED'));
    const last = Date.now();
    expect(ask.mock.calls.length).toBeGreaterThanOrEqual(4);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(observer.getCurrentResult().data).toMatchObject({ at: expect.any(Number) });
    expect((observer.getCurrentResult().data as { at: number }).at).toBeGreaterThan(last);
  });

  it('does not press a service that fails', async () => {
    const { ask } = await watched(['getPackage', { packageId }], 1, true);
    await busy(20, anEvent('LEG_CONFIRMED'));
    expect(ask.mock.calls.length).toBeLessThanOrEqual(26);
  });

  it('asks nothing while the page is hidden, and once for all when somebody looks (D-6)', async () => {
    const relays = await watched(['listRelays', {}]);
    const thing = await watched(['getPackage', { packageId }]);
    isSeen = false;
    await busy(60, anEvent('LEG_CONFIRMED'));
    expect(relays.ask).not.toHaveBeenCalled();
    expect(thing.ask).not.toHaveBeenCalled();
    isSeen = true;
    rereads.catchUp();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(relays.ask).toHaveBeenCalledOnce();
    expect(thing.ask).toHaveBeenCalledOnce();
  });

  it('asks nothing while the service wants to be left alone (D-6)', async () => {
    const { ask } = await watched(['getPackage', { packageId }]);
    restsUntil = Date.now() + 30_000;
    await busy(29, anEvent('LEG_CONFIRMED'));
    expect(ask).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(ask).toHaveBeenCalledOnce();
  });

  it('only marks what nobody looks at, so that it is read when somebody does', async () => {
    const { ask, forget } = await watched(['getPackage', { packageId }]);
    forget();
    await busy(5, anEvent('LEG_CONFIRMED'));
    expect(ask).not.toHaveBeenCalled();
    expect(client.getQueryState(['getPackage', { packageId }])?.isInvalidated).toBe(true);
  });

  it('leaves alone what no event changed', async () => {
    const { ask } = await watched(['getPackage', { packageId: '018f0000-0000-7000-8000-00000000000f' }]);
    const tasks = await watched(['listDigitalTasks', {}]);
    await busy(20, anEvent('LEG_CONFIRMED'));
    expect(ask).not.toHaveBeenCalled();
    expect(tasks.ask).not.toHaveBeenCalled();
  });
});
