import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { createRoot } from 'react-dom/client';
import styles from './sheet.module.css';
import { useId } from '../../ui/useId.js';

interface Props {
  readonly title: string;
  /** It was closed without an answer. */
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** What stands over the page until it is answered; on a phone at its lower edge, in reach of a thumb. */
export function Sheet({ title, onClose, children }: Props) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  // A new step is read from its title on, and a key that was meant for the page answers nothing. What a step focuses itself comes after.
  useLayoutEffect(() => heading.current?.focus(), [title]);
  return (
    <dialog ref={dialog} className={styles.sheet} aria-labelledby={id} onClose={onClose}>
      <h2 id={id} ref={heading} tabIndex={-1}>
        {title}
      </h2>
      {children}
    </dialog>
  );
}

let last: Promise<unknown> = Promise.resolve();

/**
 * Asks a person something, after what was asked before.
 *
 * @param render what is shown; `answer` takes it away
 */
export function ask<T>(render: (answer: (value: T) => void) => ReactNode): Promise<T> {
  const asked = last.then(() => show(render));
  last = asked.catch(() => undefined);
  return asked;
}

async function show<T>(render: (answer: (value: T) => void) => ReactNode): Promise<T> {
  const before = document.activeElement;
  const place = document.body.appendChild(document.createElement('div'));
  const root = createRoot(place);
  const value = await new Promise<T>((resolve) => root.render(render(resolve)));
  root.unmount();
  place.remove();
  // Where a person was before, unless a page took that away meanwhile.
  if (before instanceof HTMLElement && before.isConnected) before.focus();
  return value;
}
