import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { attempt, type CheckState, Check, type Outcome } from './Check.js';
import styles from './Check.module.css';
import { DiffersIcon, HoldsIcon } from './icons.js';
import { t } from '../language.js';

/** A check of a page, which stands at several places of it. */
export interface PageCheck {
  readonly id: string;
  /** What it is held against, as text: a verdict counts for that alone. */
  readonly of: string;
  readonly make: () => Promise<Outcome>;
  /** It takes so long that it is made by itself only. */
  readonly isLong?: boolean;
}

interface Checks {
  readonly all: readonly PageCheck[];
  readonly stateOf: (check: PageCheck) => CheckState;
  readonly run: (check: PageCheck) => Promise<void>;
}

const Shared = createContext<Checks>({ all: [], stateOf: () => 'not checked', run: () => Promise.resolve() });

/** Holds the verdicts of a page, so that what stands at two places is checked once. */
export function Checks({ of: all, children }: { of: readonly PageCheck[]; children: ReactNode }) {
  const [made, setMade] = useState<ReadonlyMap<string, { of: string; state: CheckState }>>(new Map());
  const stateOf = ({ id, of }: PageCheck): CheckState => {
    const known = made.get(id);
    return known?.of === of ? known.state : 'not checked';
  };
  const run = async ({ id, of, make }: PageCheck) => {
    const put = (state: CheckState) => setMade((before) => new Map(before).set(id, { of, state }));
    put('checking');
    put(await attempt(make));
  };
  return <Shared value={{ all, stateOf, run }}>{children}</Shared>;
}

/** One check of the page; nothing where the page has none of that id. */
export function CheckOf({ id, label = t('Check') }: { id: string; label?: string }) {
  const { all, stateOf, run } = useContext(Shared);
  const check = all.find((one) => one.id === id);
  return check && <Check label={label} state={stateOf(check)} check={() => void run(check)} />;
}

/** After the path of a page: its checks are made as soon as it is there. */
export const CHECKED = '#check';

/** Makes every check of the page, one after the other, and sums up what they came to. */
export function CheckAll({ label = t('Check all on the ledger') }: { label?: string }) {
  const { all, stateOf, run } = useContext(Shared);
  const [isRunning, setRunning] = useState(false);
  const runAll = async (checks: readonly PageCheck[]) => {
    if (isRunning) return;
    setRunning(true);
    for (const check of checks) if (!check.isLong) await run(check);
    setRunning(false);
  };
  useEffect(() => {
    // What they are of is read piece by piece.
    const left = all.filter((check) => !check.isLong && stateOf(check) === 'not checked');
    if (window.location.hash === CHECKED && left.length > 0) void runAll(left);
  });
  const states = all.map(stateOf);
  const count = (is: (state: CheckState) => boolean) => states.filter(is).length;
  const tally = {
    all: all.length,
    holds: count((state) => typeof state === 'object' && 'holds' in state && state.holds),
    differ: count((state) => typeof state === 'object' && 'holds' in state && !state.holds),
    couldNot: count((state) => typeof state === 'object' && 'couldNot' in state),
  };
  // Beside what is not shown whole, there is nothing to check.
  if (all.length === 0) return null;
  return (
    <span className={styles.check}>
      <span role="status">
        <Tally {...tally} />
      </span>
      <button
        type="button"
        className={styles.button}
        aria-disabled={isRunning || undefined}
        onClick={() => void runAll(all)}
      >
        {isRunning ? t('Checking…') : label}
      </button>
    </span>
  );
}

interface Tally {
  readonly all: number;
  readonly holds: number;
  readonly differ: number;
  readonly couldNot: number;
}

/** What the checks of the page came to; green when every one of them was made and holds. */
function Tally({ all, holds, differ, couldNot }: Tally) {
  if (holds + differ + couldNot === 0) return null;
  if (differ > 0) {
    return (
      <span className={styles.failed}>
        <DiffersIcon />{' '}
        {t('{differ} of {all} differ{couldNot, plural, =0 {} other {, # could not run}}', { differ, all, couldNot })}
      </span>
    );
  }
  const isWhole = holds === all;
  return (
    <span className={isWhole ? styles.holds : styles.dim}>
      {isWhole && <HoldsIcon />}{' '}
      {t('{holds} of {all} hold{couldNot, plural, =0 {} other {, # could not run}}', { holds, all, couldNot })}
    </span>
  );
}
