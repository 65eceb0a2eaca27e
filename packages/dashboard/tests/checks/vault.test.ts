import { formatPubkey, SOL, toLamports } from '@legwork/protocol/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LedgerTransaction } from '../../src/checks/ledgerTransaction.js';
import { checkRefund, checkSum, checkVault, type Money, signOf, sumOf } from '../../src/checks/vault.js';

const key = (byte: number): string => formatPubkey(new Uint8Array(32).fill(byte));
const [VAULT, FUNDER] = [key(1), key(2)];
const RENT = toLamports(890_880n);

type Movement = Money['movements'][number];

function movement(what: string, from: string, to: string, lamports: bigint): Movement {
  const proof = { signature: 's', slot: 1, appliedAt: null, finality: 'confirmed', legIndex: null } as const;
  return { what, from, to, amount: toLamports(lamports), lamports: null, ...proof };
}

const amount = fc.bigInt({ min: 1n, max: 10n ** 12n });

/** The escrow of a package after some legs, and at its end what is left of it returned. */
const honest = fc
  .record({
    paid: fc.array(amount, { maxLength: 7 }),
    rest: fc.bigInt({ min: 0n, max: 10n ** 12n }),
    isOver: fc.boolean(),
  })
  .map(({ paid, rest, isOver }): Money => {
    const budget = paid.reduce((sum, lamports) => sum + lamports, rest);
    return {
      onChainVault: VAULT,
      ...SOL,
      vault: toLamports(isOver ? 0n : rest),
      vaultRentLamports: RENT,
      movements: [
        movement('lock', FUNDER, VAULT, budget),
        ...paid.map((lamports, leg) => movement('payment', VAULT, key(leg + 3), lamports)),
        ...(isOver ? [movement('refund', VAULT, FUNDER, rest)] : []),
      ],
    };
  });

/** What the movements sum to with the signs that are shown. */
const signed = (money: Money) =>
  money.movements.reduce((sum, one) => sum + BigInt(signOf(one, money)) * one.amount, 0n);

const isOver = ({ movements }: Money) => movements.some(({ what }) => what === 'refund');
const onLedger = (money: Money) => (isOver(money) ? 0n : money.vault + RENT);

describe('an escrow, added up', () => {
  test('comes to nothing when every movement is shown (D-12, D-39)', () => {
    fc.assert(
      fc.property(honest, (money) => {
        expect(sumOf(money).rest).toBe(0n);
        expect(checkSum(money, 0n).holds).toBe(true);
        expect(signed(money)).toBe(money.vault);
      }),
    );
  });

  test('a changed amount, a movement left out or turned around, another vault sum is found (D-12)', () => {
    const change = fc.constantFrom('amount', 'gone', 'around', 'vault');
    fc.assert(
      fc.property(honest, change, fc.nat(8), amount, (money, what, nth, by) => {
        const at = nth % money.movements.length;
        const { from, to, amount: lamports } = money.movements[at] ?? movement('', '', '', 0n);
        if (lamports === 0n && what !== 'vault') return;
        const movements = money.movements.flatMap((one, index): Movement[] => {
          if (index !== at || what === 'vault') return [one];
          if (what === 'gone') return [];
          return [what === 'around' ? { ...one, from: to, to: from } : { ...one, amount: toLamports(lamports + by) }];
        });
        const vault = toLamports(money.vault + (what === 'vault' ? by : 0n));
        expect(checkSum({ ...money, movements, vault }, 0n).holds).toBe(false);
      }),
    );
  });

  test('kinds that it does not know count by where they went (D-12)', () => {
    fc.assert(
      fc.property(honest, amount, (money, stake) => {
        const movements = [...money.movements, movement('gift', FUNDER, VAULT, stake)];
        expect(checkSum({ ...money, movements }, 0n).holds).toBe(false);
        const vault = toLamports(money.vault + stake);
        expect(checkSum({ ...money, movements, vault }, 0n).holds).toBe(true);
      }),
    );
  });
});

describe('stakes, added up', () => {
  const [COURIER, LEG, ARBITER] = [key(20), key(21), key(22)];
  const posted = (stake: bigint) => movement('stake', COURIER, LEG, stake);

  test('are what the legs hold by their stages, and what is lost goes to the vault (D-12, D-39)', () => {
    fc.assert(
      fc.property(honest, amount, (money, stake) => {
        const after = (moved: readonly Movement[], lost = 0n) => ({
          ...money,
          vault: toLamports(money.vault + lost),
          movements: [...money.movements, ...moved],
        });
        const returned = movement('stake_returned', LEG, COURIER, stake);
        const forfeited = movement('stake_forfeited', LEG, VAULT, stake);
        expect(checkSum(after([posted(stake)]), stake)).toMatchObject({ holds: true });
        expect(checkSum(after([posted(stake), returned]), 0n)).toMatchObject({ holds: true });
        expect(checkSum(after([posted(stake), forfeited], stake), 0n)).toMatchObject({ holds: true });
        expect(signed(after([posted(stake)]))).toBe(money.vault + stake);
        expect(signed(after([posted(stake), returned]))).toBe(money.vault);
        expect(signed(after([posted(stake), forfeited], stake))).toBe(money.vault + stake);
        expect(checkSum(after([posted(stake), forfeited]), 0n)).toMatchObject({ holds: false });
        expect(checkSum(after([posted(stake)]), stake + 1n)).toMatchObject({ holds: false });
        expect(checkSum(after([posted(stake)]), 0n)).toMatchObject({ holds: false });
      }),
    );
  });

  test('of a dispute are divided without a rest (D-12)', () => {
    fc.assert(
      fc.property(
        honest,
        fc.bigInt({ min: 2n, max: 10n ** 12n }),
        fc.bigInt({ min: 0n, max: 100n }),
        (money, stake, percent) => {
          const fee = stake / 2n;
          const worker = ((2n * stake - fee) * percent) / 100n;
          const movements = [
            ...money.movements,
            posted(stake),
            movement('stake', FUNDER, LEG, stake),
            movement('stake_returned', LEG, COURIER, worker),
            movement('stake_returned', LEG, FUNDER, 2n * stake - fee - worker),
            movement('arbiter_fee', LEG, ARBITER, fee),
          ];
          expect(checkSum({ ...money, movements }, 0n)).toMatchObject({ holds: true });
          expect(checkSum({ ...money, movements: movements.slice(0, -1) }, 0n)).toMatchObject({ holds: false });
        },
      ),
    );
  });
});

describe('a vault, against its account', () => {
  test('holds with what the page says, and with what strangers add (D-12)', () => {
    fc.assert(
      fc.property(honest, (money) => {
        expect(checkVault(money, onLedger(money)).holds).toBe(true);
      }),
    );
    fc.assert(
      fc.property(honest, fc.bigInt({ min: 1n, max: 1000n }), (money, dust) => {
        const { returned } = sumOf(money);
        if (isOver(money) && returned > 0n && returned <= dust) return;
        expect(checkVault(money, onLedger(money) + dust)).toMatchObject({
          seen: expect.stringContaining('somebody added'),
        });
      }),
    );
  });

  test('with a lamport less it is found (D-12)', () => {
    fc.assert(
      fc.property(honest, (money) => {
        fc.pre(!isOver(money));
        expect(checkVault(money, onLedger(money) - 1n).holds).toBe(false);
      }),
    );
  });

  test('a refund that was not made is found (D-12)', () => {
    fc.assert(
      fc.property(honest, (money) => {
        const { returned } = sumOf(money);
        fc.pre(returned > 0n);
        expect(checkVault(money, returned + RENT).holds).toBe(false);
      }),
    );
  });
});

/** A transaction after which the vault and the funder hold something else. */
function emptying(vault: readonly [bigint, bigint], funder: readonly [bigint, bigint]): LedgerTransaction {
  const balance = (account: string, [before, after]: readonly [bigint, bigint]) => ({ account, before, after });
  const balances = [balance(key(9), [10n, 5n]), balance(VAULT, vault), balance(FUNDER, funder)];
  return { slot: 7n, feeLamports: 5n, balances } as unknown as LedgerTransaction;
}

describe('a refund, against its transaction', () => {
  const refund = (lamports: bigint) => movement('refund', VAULT, FUNDER, lamports);

  test('holds when all of it came back, with what strangers added (D-12)', () => {
    fc.assert(
      fc.property(amount, fc.nat(1000), (lamports, dust) => {
        const all = lamports + RENT + BigInt(dust);
        expect(checkRefund(emptying([all, 0n], [3n, 3n + all]), refund(lamports), { rent: RENT, of: SOL })).toEqual({
          holds: true,
          seen: 'slot 7',
        });
      }),
    );
  });

  test('too little, elsewhere, or something left behind is found (D-12)', () => {
    fc.assert(
      fc.property(amount, (lamports) => {
        const all = lamports + RENT;
        for (const transaction of [
          emptying([all - 1n, 0n], [0n, all - 1n]),
          emptying([all, 0n], [0n, all - 1n]),
          emptying([all + 1n, 1n], [0n, all]),
          emptying([all, all], [0n, 0n]),
        ]) {
          expect(checkRefund(transaction, refund(lamports), { rent: RENT, of: SOL }).holds).toBe(false);
        }
      }),
    );
  });
});
