import { type ReactNode, useEffect, useRef, useState } from 'react';
import form from './form.module.css';
import { useId } from '../ui/useId.js';

/** What a field has to carry so that its label and its fault are told with it. */
interface Aria {
  readonly id: string;
  readonly 'aria-invalid': true | undefined;
  readonly 'aria-describedby': string | undefined;
}

interface Props {
  readonly label: string;
  /** What is wrong with what stands in it; undefined: nothing. */
  readonly fault: string | undefined;
  /** It takes the whole width. */
  readonly isWhole?: boolean;
  readonly children: (aria: Aria) => ReactNode;
}

/** A field with its label above it, and below it what is wrong. Rule D-42. */
export function Labelled({ label, fault, isWhole = false, children }: Props) {
  const id = useId();
  const faultId = `${id}-fault`;
  return (
    <div className={isWhole ? `${form.field} ${form.whole}` : form.field}>
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        'aria-invalid': fault === undefined ? undefined : true,
        'aria-describedby': fault === undefined ? undefined : faultId,
      })}
      {fault !== undefined && (
        <p id={faultId} className={form.problem}>
          {fault}
        </p>
      )}
    </div>
  );
}

/** Nothing is called wrong before somebody tries to send it; then the first fault has the focus. */
export function useTries() {
  const [tries, setTries] = useState(0);
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const first = tries > 0 ? element.current?.querySelector<HTMLElement>('[aria-invalid="true"]') : undefined;
    (first?.querySelector('input') ?? first)?.focus();
  }, [tries]);
  return { form: element, isTried: tries > 0, tried: () => setTries(tries + 1) };
}
