import { type Leg, type Movement, type PackageDetail, SOL, toLamports } from '@legwork/protocol/contract';
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
type ShownLeg = Pick<Leg, 'id' | 'legIndex' | 'agentPubkey' | 'onChainLeg' | 'agreedPayment'>;
const legs = assigned.map(
  ({ accounts, data }): ShownLeg => ({
    id: accounts.leg.address,
    legIndex: data.index,
    agentPubkey: accounts.courier.address,
    onChainLeg: accounts.leg.address,
    agreedPayment: toLamports(data.paymentLamports),
  }),
);
const { vault, funder, shipper } = listed.accounts;
const legIndex = legs.findIndex((leg) => leg.onChainLeg === confirmed.accounts.leg.address);

/** The package as its page shows it, as far as its transactions tell. */
const parcel = {
  onChainPackage: listed.accounts.package.address,
  shipperPubkey: shipper.address,
  terms: null,
  ...SOL,
  deadline: new Date(Number(listed.data.deadline) * 1000),
  swarm: {
    formSignature: form.signature,
    onChainSwarm: formed[0]?.accounts.swarm.address,
    totalLegs: legs.length,
    total: formed[0]?.data.totalLamports,
    legs,
  },
} as unknown as PackageDetail;

const moved = (what: string, from: string, to: string, lamports: bigint, signature: string): Movement => {
  const leg = what === 'payment' ? legIndex : null;
  const place = { slot: null, appliedAt: null, finality: 'final' } as const;
  return { what, from, to, amount: toLamports(lamports), lamports: null, signature, legIndex: leg, ...place };
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
  const differ = claimsOf(shown, { movements: [...shownMovements] }, new Set()).filter((claim) => {
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
    expect(claimsOf(parcel, { movements: [...movements] }, new Set())).toHaveLength(legs.length + 4);
    expect(differing(parcel)).toEqual([]);
  });

  test.each([
    ['another account of the package', { ...parcel, onChainPackage: vault.address }, [list, form, confirm, settle]],
    ['another deadline', { ...parcel, deadline: new Date(0) }, [list]],
    ['another payment of a leg', changedLeg({ agreedPayment: toLamports(1n) }), [form]],
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
    const more = movements.map((one, index) => (index === at ? { ...one, amount: toLamports(one.amount + 1n) } : one));
    expect(differing(parcel, more)).toEqual([movements[at]?.signature]);
  });

  test('a kind of movement that is not known here is not claimed to be checked', () => {
    const claims = claimsOf(
      parcel,
      { movements: [moved('gift', vault.address, funder.address, 1n, 'gift')] },
      new Set(),
    );
    expect(new Set(claims.map(({ signature }) => signature))).toEqual(new Set([form.signature]));
  });

  test('a courier who took the place of another is not claimed to be in the formation', () => {
    const shown = changedLeg({ id: 'new', agentPubkey: vault.address });
    const claims = claimsOf(shown, { movements: [] }, new Set(['new']));
    expect(claims).toHaveLength(legs.length);
    expect(claims.every((claim) => checkClaim(form, claim).holds)).toBe(true);
  });
});

describe('what the page of a package with terms says of its stakes', () => {
  const leg = legs[0]?.onChainLeg ?? '';
  const courier = confirmed.accounts.courier.address;
  const bound = { ...parcel, terms: {} } as unknown as PackageDetail;
  const claimed = (...those: Movement[]) =>
    claimsOf(bound, { movements: those }, new Set()).filter(({ signature }) => signature === 's');

  test('a stake is signed by who posts it, and its leg holds it (D-10)', () => {
    expect(claimed(moved('stake', courier, leg, 5n, 's'))).toEqual([
      {
        signature: 's',
        instruction: ['accept', 'dispute'],
        accounts: { leg },
        signer: courier,
        moved: [{ account: leg, amount: 5n }],
      },
    ]);
  });

  test('a payment comes with the stake, whoever signed for it (D-10)', () => {
    const payment = moved('payment', vault.address, courier, 40n, 's');
    const [paid, back] = claimed(payment, moved('stake_returned', leg, courier, 5n, 's'));
    expect(paid).toMatchObject({ instruction: 'confirmLeg', moved: [{ account: courier, amount: 45n }] });
    expect(paid?.signer).toBeUndefined();
    expect(paid?.accounts).not.toHaveProperty('recipient');
    expect(back).toMatchObject({ moved: [{ account: leg, amount: -5n }] });
  });

  test('what a ruling divides leaves the leg together (D-10)', () => {
    const parts = [
      moved('stake_returned', leg, courier, 6n, 's'),
      moved('stake_returned', leg, shipper.address, 2n, 's'),
      moved('burnt', leg, vault.address, 2n, 's'),
    ];
    for (const claim of claimed(...parts)) expect(claim.moved).toEqual([{ account: leg, amount: -10n }]);
  });

  test('a reclaim closes the legs, so that their rent moves too (D-10)', () => {
    const [lost] = claimed(
      moved('stake_forfeited', leg, funder.address, 5n, 's'),
      moved('refund', vault.address, funder.address, 9n, 's'),
    );
    expect(lost).toEqual({ signature: 's', instruction: 'reclaimPackage' });
  });
});
