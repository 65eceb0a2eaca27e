import type { LookupMatch } from '@legwork/protocol/contract';
import { describe, expect, it } from 'vitest';
import { findingOf, onLedger } from '../../src/shell/findings.js';

const ID = '018f0000-0000-7000-8000-0000deadbeef';
const KEY = 'So11111111111111111111111111111111111111112';
const SIGNATURE = '5'.repeat(87);
const match = (changed: Partial<LookupMatch>): LookupMatch => ({
  kind: 'package',
  id: ID,
  field: 'id',
  packageId: null,
  taskId: null,
  title: 'a violin',
  ...changed,
});

describe('what a search found', () => {
  it.each([
    [{ kind: 'package', packageId: ID } as const, `/p/${ID}`],
    [{ kind: 'leg', id: 'x', packageId: ID } as const, `/p/${ID}`],
    [{ kind: 'swarm', id: 'x', packageId: ID } as const, `/p/${ID}`],
    [{ kind: 'task', taskId: ID } as const, `/t/${ID}`],
    [{ kind: 'taskLeg', id: 'x', taskId: ID } as const, `/t/${ID}`],
    [{ kind: 'agent', id: KEY, field: 'agentPubkey' } as const, `/a/${KEY}`],
    [{ kind: 'transaction', id: SIGNATURE, field: 'signature', packageId: ID } as const, `/tx/${SIGNATURE}`],
  ])('%o is on the page of what it belongs to', (changed, path) => {
    expect(findingOf('deadbeef', match(changed)).path).toBe(path);
  });

  it('an account of the ledger is on the page of accounts, whatever it is of', () => {
    expect(findingOf(KEY, match({ field: 'onChainVault', packageId: ID }))).toMatchObject({
      kind: 'Account of',
      path: `/account/${KEY}`,
    });
  });

  it('has the end of its id for a name where it has none', () => {
    expect(findingOf('x', match({ title: ' ' })).title).toBe('adbeef');
  });

  it('the ledger may know a key or a signature that nobody here does, and no id', () => {
    expect(onLedger(KEY)?.path).toBe(`/account/${KEY}`);
    expect(onLedger('deadbeef')).toBeUndefined();
  });
});
