import type { ReactNode } from 'react';
import form from './form.module.css';
import type { Doing } from './useDoing.js';

interface Props {
  readonly doing: Doing;
  readonly children: ReactNode;
  /** Left out: it sends its form. */
  readonly onPress?: () => void;
}

/** A button that says that it is at work; it keeps the focus of a keyboard meanwhile. */
export function Action({ doing, children, onPress }: Props) {
  return (
    <button
      type={onPress ? 'button' : 'submit'}
      className={form.button}
      aria-disabled={doing.waiting === undefined ? undefined : true}
      onClick={onPress}
    >
      {children}
    </button>
  );
}

/** What is under way or done, and what went wrong. */
export function Told({ doing: { waiting, problem, done } }: { doing: Doing }) {
  return (
    <>
      <p role="status" className={form.hint}>
        {waiting ?? done}
      </p>
      <p role="alert" className={form.problem}>
        {problem}
      </p>
    </>
  );
}
