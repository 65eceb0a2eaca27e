import { type Leg, type Movement, type PackageDetail, toLamports } from '@legwork/protocol/contract';
import { describe, expect, test } from 'vitest';
import { changeOf, checkClaim } from '../../src/checks/transaction.js';
import { claimsOf } from '../../src/pages/package/claims.js';
import { readRecorded, relayOf } from './readRecorded.js';

const [list, form, confirm, settle] = (['list', 'form', 'confirm', 'settle'] as const).map(readRecorded);
if (!list || !form || !confirm || !settle) throw new Error('they are recorded');
const transactions = [list, form, confirm, settle];
const [listed, confirmed, settled] = [relayOf(list), relayOf(confirm), relayOf(settle)];
if (listed?.name !== 'listPackage' || confirmed?.name !== 'confirmLeg' || settled?.name !== 'settle') {
  throw new Error('they are of a package');
}

const assigned = form.instructions.flatMap(({ relay }) => (relay?.name === 'assignLeg' ? [relay] : []));
const formed = form.instructions.flatMap(({ relay }) => (relay?.name === 'formSwarm' ? [relay] : []));
type ShownLeg = Pick<Leg, 'legIndex' | 'agentPubkey' | 'onChainLeg' | 'agreedPaymentLamports'>;
const legs = assigned.map(
  ({ accounts, data }): ShownLeg => ({
    legIndex: data.index,
    agentPubkey: accounts.courier.address,
    onChainLeg: accounts.leg.address,
    agreedPaymentLamports: toLamports(data.paymentLamports),
  }),
);
const { vault, funder, shipper } = listed.accounts;
const legIndex = legs.findIndex((leg) => leg.onChainLeg === confirmed.accounts.leg.address);

/** The package as its page shows it, as far as its transactions tell. */
const parcel = {
  onChainPackage: listed.accounts.package.address,
  shipperPubkey: shipper.address,
  deadline: new Date(Number(listed.data.deadline) * 1000),
  swarm: {
    formSignature: form.signature,
    onChainSwarm: formed[0]?.accounts.swarm.address,
    totalLegs: legs.length,
    totalLamports: formed[0]?.data.totalLamports,
    legs,
  },
} as unknown as PackageDetail;

const moved = (what: string, from: string, to: string, lamports: bigint, signature: string): Movement => {
  const leg = what === 'payment' ? legIndex : null;
  const place = { slot: null, appliedAt: null, finality: 'final' } as const;
  return { what, from, to, lamports: toLamports(lamports), signature, legIndex: leg, ...place };
};
const movements = [
  moved('lock', funder.address, vault.address, listed.data.maxBudget, list.signature),
  moved(
    'payment',
    vault.address,
    confirmed.accounts.courier.address,
    -changeOf(confirm, vault.address),
    confirm.signature,
  ),
  moved('refund', vault.address, funder.address, -changeOf(settle, vault.address), settle.signature),
] as const;

/** The signatures whose transactions did something else than the page says. */
function differing(shown: PackageDetail, shownMovements: readonly Movement[] = movements): string[] {
  const differ = claimsOf(shown, { movements: [...shownMovements] }).filter((claim) => {
    const transaction = transactions.find(({ signature }) => signature === claim.signature);
    return !checkClaim(transaction, claim).holds;
  });
  return [...new Set(differ.map(({ signature }) => signature))];
}

function changedLeg(change: Partial<ShownLeg>): PackageDetail {
  const changed = legs.map((leg, at) => (at === legs.length - 1 ? { ...leg, ...change } : leg));
  return { ...parcel, swarm: { ...parcel.swarm, legs: changed } } as unknown as PackageDetail;
}

describe('what the page of a package says of its transactions', () => {
  test('holds for a relay that really ran, of each of its transactions (D-10)', () => {
    expect(claimsOf(parcel, { movements: [...movements] })).toHaveLength(legs.length + 4);
    expect(differing(parcel)).toEqual([]);
  });

  test.each([
    ['another account of the package', { ...parcel, onChainPackage: vault.address }, [list, form, confirm, settle]],
    ['another deadline', { ...parcel, deadline: new Date(0) }, [list]],
    ['another payment of a leg', changedLeg({ agreedPaymentLamports: toLamports(1n) }), [form]],
    ['another account of a leg', changedLeg({ onChainLeg: vault.address }), [form]],
    ['another courier of a leg', changedLeg({ agentPubkey: vault.address }), [form]],
  ])('%s is found', (_, shown, found) => {
    expect(differing(shown)).toEqual(expect.arrayContaining(found.map(({ signature }) => signature)));
  });

  test.each([...movements.keys()])('a changed amount, payer or payee of movement %i is found', (at) => {
    const other = shipper.address === funder.address ? legs[0]?.agentPubkey : shipper.address;
    const changes = [{ from: parcel.onChainPackage }, { to: parcel.onChainPackage }, { to: other }];
    for (const change of changes) {
      const changed = movements.map((one, index): Movement => (index === at ? { ...one, ...(change as object) } : one));
      const isSame = changed[at]?.to === movements[at]?.to && changed[at]?.from === movements[at]?.from;
      expect(differing(parcel, changed)).toEqual(isSame ? [] : [movements[at]?.signature]);
    }
  });

  test.each([0, 1])('a lamport more in movement %i is found', (at) => {
    const more = movements.map((one, index) =>
      index === at ? { ...one, lamports: toLamports(one.lamports + 1n) } : one,
    );
    expect(differing(parcel, more)).toEqual([movements[at]?.signature]);
  });

  test('a kind of movement that is not known here is not claimed to be checked', () => {
    const claims = claimsOf(parcel, { movements: [moved('stake', vault.address, funder.address, 1n, 'stake')] });
    expect(new Set(claims.map(({ signature }) => signature))).toEqual(new Set([form.signature]));
  });
});
