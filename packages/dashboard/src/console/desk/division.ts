import type { Lamports } from '@legwork/sdk';
import { ruledPayment, stakeShares } from '@legwork/protocol/rules';
import { type Divided, nameFor, NO_PERCENT, type Question, sayPayment } from '../../pages/turns/actionWords.js';
import { amountIn, t } from '../../language.js';

/** Who gets what of a leg by a ruling of its arbiter, in base units of what it pays in. */
export interface Division {
  readonly worker: { readonly payment: Lamports; readonly stakes: Lamports };
  readonly disputer: Lamports;
  /** The arbiter's, whoever wins. */
  readonly fee: Lamports;
  /** Of the payment; it stays in escrow. */
  readonly stays: bigint;
}

/** What a percentage comes to. Rules T-22, T-36. @param stake of each side */
export function divide(percent: number, { payment, stake }: { payment: Lamports; stake: Lamports }): Division {
  const paid = ruledPayment(payment, percent);
  const { worker, disputer, fee } = stakeShares(stake, 'arbiter', percent);
  return { worker: { payment: paid, stakes: worker }, disputer, fee, stays: payment - paid };
}

/**
 * What is asked before a ruling is signed: who gets what, to the base unit.
 *
 * @param reason as it was typed
 * @param own the arbiter's key
 */
export function questionOfRuling(
  divided: Divided,
  percent: number | undefined,
  { reason, own }: { readonly reason: string; readonly own: string },
): Question {
  if (percent === undefined) return { lacks: t(NO_PERCENT) };
  if (reason.trim() === '')
    return { lacks: t('Say why. Both sides read it, and so does everybody who asks how you rule.') };
  const { leg, of } = divided;
  const { worker, disputer, fee } = divide(percent, divided);
  const stakes = [
    t('{amount} to {name}', { amount: amountIn(worker.stakes, of), name: nameFor(own, leg.agentPubkey) }),
    t('{amount} to {name}', { amount: amountIn(disputer, of), name: nameFor(own, leg.disputerPubkey) }),
    t('{amount} to you as the arbiter', { amount: amountIn(fee, of) }),
  ];
  const pays = sayPayment(divided, percent, own).replace(/^./, (first) => first.toUpperCase());
  return {
    says: t('{pays}. Stakes: {stakes}. This cannot be undone. Your reason becomes public.', {
      pays,
      stakes: stakes.join(', '),
    }),
  };
}
