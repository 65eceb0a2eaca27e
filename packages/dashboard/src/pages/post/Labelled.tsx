import { type ReactNode, useId } from 'react';
import form from '../../wallet/form.module.css';
import styles from './post.module.css';

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
    <div className={isWhole ? `${form.field} ${styles.whole}` : form.field}>
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
