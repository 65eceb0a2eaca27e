import { EVENT_TYPES, operations } from '@legwork/protocol/contract';
import { describe, expect, it } from 'vitest';
import { isOfMarket, isTouched, touchedBy } from '../../src/data/touches.js';
import { anEvent } from './anEvent.js';

const touches = (type: (typeof EVENT_TYPES)[number], ...key: unknown[]) => isTouched(key, touchedBy([anEvent(type)]));

describe('what an event changes', () => {
  it.each(EVENT_TYPES)('%s: all that is shown of its package or task, and nothing of another', (type) => {
    const event = anEvent(type);
    const [field, id] = 'packageId' in event ? ['packageId', event.packageId] : ['taskId', event.taskId];
    expect(touches(type, 'getThing', { [field ?? '']: id })).toBe(true);
    expect(touches(type, 'getThing', { [field ?? '']: id?.replace(/.$/, '2') })).toBe(false);
  });

  it.each(EVENT_TYPES)('%s: the agent that it names, and no other', (type) => {
    const event = anEvent(type);
    const named = 'agentPubkey' in event ? [event.agentPubkey] : [];
    const asked = ['1', '2'].map((letter) => letter.repeat(32));
    expect(asked.filter((agentPubkey) => touches(type, 'listAgentLegs', { agentPubkey }))).toEqual(
      'shipperPubkey' in event ? [event.shipperPubkey] : named,
    );
  });

  it('no list of the market changes with a bid', () => {
    for (const name of Object.keys(operations).filter((each) => isOfMarket([each]))) {
      expect(touches('BID_STORED', name, {})).toBe(false);
      expect(touches('BID_WITHDRAWN', name, {})).toBe(false);
    }
  });

  it('a list of the market changes whatever it is filtered by', () => {
    expect(touches('LEG_CONFIRMED', 'listPackages', { shipper: '2'.repeat(32), status: 'in_transit' })).toBe(true);
    expect(touches('TASK_LISTED', 'listDigitalTasks', { open: 'true' })).toBe(true);
    expect(touches('TASK_LISTED', 'listPackages', {})).toBe(false);
  });

  it('turns change with every move of a leg with terms, and with who has a leg of a task (D-35)', () => {
    for (const type of [
      'LEG_CLAIMED',
      'TASK_LEG_ASSIGNED',
      'TASK_LEG_RELEASED',
      'TASK_LEG_COMPLETED',
      'TASK_FAILED',
    ] as const) {
      expect(touches(type, 'listTurns', { pubkey: '2'.repeat(32) })).toBe(true);
    }
    expect(touches('TASK_LISTED', 'listTurns', { pubkey: '2'.repeat(32) })).toBe(false);
  });

  it('what the ledger or the page itself was asked does not change with events', () => {
    expect(touches('LEG_CONFIRMED', 'names')).toBe(false);
    expect(touches('LEG_CONFIRMED', 'account', 'confirmed')).toBe(false);
    expect(touches('LEG_CONFIRMED', 'getConfig', undefined)).toBe(false);
  });
});
