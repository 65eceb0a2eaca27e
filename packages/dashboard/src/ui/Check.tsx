import { useState } from 'react';
import type { Outcome } from '../checks/outcome.js';
import styles from './Check.module.css';

export type { Outcome };

/** A check and how it stands; a failure to make it is not a finding. */
type State = 'not checked' | 'checking' | Outcome | { readonly couldNot: string };

/**
 * A check that this browser makes when it is asked to: nothing counts as checked before.
 *
 * @param label what the button says, such as `Check on the ledger`
 */
export function Check({ label, make }: { label: string; make: () => Promise<Outcome> }) {
  const [state, setState] = useState<State>('not checked');
  const check = () => {
    setState('checking');
    make().then(setState, (error: unknown) => setState({ couldNot: sentenceOf(error) }));
  };
  return (
    <span className={styles.check} role="status">
      {typeof state === 'object' ? <Verdict of={state} /> : null}
      {(state === 'not checked' || (typeof state === 'object' && 'couldNot' in state)) && (
        <button type="button" onClick={check} className={styles.button}>
          {label}
        </button>
      )}
      {state === 'checking' && <span className={styles.dim}>Checking…</span>}
    </span>
  );
}

/** A verdict by word, shape and hue. */
export function Verdict({ of }: { of: Outcome | { readonly couldNot: string } }) {
  if ('couldNot' in of) return <span className={styles.dim}>Not checked: {of.couldNot}</span>;
  if (!of.holds) return <span className={styles.failed}>✕ {of.difference}</span>;
  return <span className={styles.holds}>✓ {of.seen ?? 'Checked here'}</span>;
}

function sentenceOf(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : 'this browser could not do it';
}
