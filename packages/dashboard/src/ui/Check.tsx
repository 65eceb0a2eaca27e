import type { Outcome } from '../checks/outcome.js';
import { faultOf } from '../data/faultWords.js';
import styles from './Check.module.css';
import { DiffersIcon, HoldsIcon } from './icons.js';
import { t } from '../language.js';

export type { Outcome };

/** What making a check came to; a failure to make it is not a finding. */
type Made = Outcome | { readonly couldNot: string };

/** How a check stands. */
export type CheckState = 'not checked' | 'checking' | Made;

/** Makes a check; it does not throw. */
export async function attempt(make: () => Promise<Outcome>): Promise<Made> {
  try {
    return await make();
  } catch (error) {
    return { couldNot: faultOf(error, t('this browser could not do it')) };
  }
}

/**
 * A check that this browser makes when it is asked to: nothing counts as checked before.
 *
 * @param label what the button says, such as `Check on the ledger`
 */
export function Check({ label, state, check }: { label: string; state: CheckState; check: () => void }) {
  return (
    <span className={styles.check} data-step>
      <span role="status">
        {typeof state === 'object' && <Verdict of={state} />}
        {state === 'checking' && <span className={styles.dim}>{t('Checking…')}</span>}
      </span>
      {(state === 'not checked' || (typeof state === 'object' && 'couldNot' in state)) && (
        <button type="button" onClick={check} className={styles.button}>
          {label}
        </button>
      )}
    </span>
  );
}

/** A verdict by word, shape and hue. */
export function Verdict({ of }: { of: Made }) {
  if ('couldNot' in of) return <span className={styles.dim}>{t('Not checked: {why}', { why: of.couldNot })}</span>;
  const Icon = of.holds ? HoldsIcon : DiffersIcon;
  return (
    <span className={of.holds ? styles.holds : styles.failed}>
      <Icon /> <span className="visually-hidden">{of.holds ? t('Holds:') : t('Differs:')} </span>
      {of.holds ? (of.seen ?? t('Checked here')) : of.difference}
    </span>
  );
}
