import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rowsOf } from '../../src/pages/overview/order.js';
import { aRelay } from './aRelay.js';

const STATUSES = ['listed', 'swarm_forming', 'in_transit', 'delivered', 'failed'] as const;

describe('the packages of the overview', () => {
  it('stand in the order of how far they are, whatever is selected, which is always among them', () => {
    const market = fc.array(fc.constantFrom(...STATUSES), { maxLength: 30 });
    fc.assert(
      fc.property(market, fc.nat(29), (statuses, chosen) => {
        const relays = statuses.map((status, at) => aRelay(1, { id: String(at), status }));
        const selected = String(chosen);
        const usual = rowsOf(relays, undefined).map(({ id }) => id);
        const rows = rowsOf(relays, selected).map(({ id }) => id);
        expect(rows.slice(0, usual.length)).toEqual(usual);
        expect(rows.includes(selected)).toBe(chosen < statuses.length);
        expect(rows.length - usual.length).toBeLessThanOrEqual(1);
      }),
    );
    const mixed = STATUSES.map((status) => aRelay(1, { id: status, status }));
    const order = rowsOf(mixed, 'listed').map(({ id }) => id);
    expect(order).toEqual(['in_transit', 'swarm_forming', 'listed', 'delivered', 'failed']);
  });
});
