import { type KeyboardEvent, useState } from 'react';
import { Action } from './Connect.js';
import form from './form.module.css';
import type { Doing } from './useDoing.js';
import type { Question } from '../pages/turns/actionWords.js';
import { useId } from '../ui/useId.js';
import { t } from '../language.js';

interface Props {
  readonly label: string;
  readonly doing: Doing;
  /** Undefined: the move takes nothing from anybody that could not be taken back. */
  readonly question: Question | undefined;
  /** What the button says that does it. */
  readonly yes?: string;
  readonly onMake: () => void;
}

/**
 * The button of a move. What pays, forfeits or divides is asked back before the wallet is: a screen reader tells it with the question and
 * with the button that does it, and Escape is a no. Rule D-38.
 */
export function AskedBack({ label, doing, question, yes = t('Yes, sign it'), onMake }: Props) {
  const [isAsked, setIsAsked] = useState<boolean>();
  const said = useId();
  const leave = () => setIsAsked(false);
  const press = (next: () => void) => () => (question && 'lacks' in question ? doing.tell(question.lacks) : next());
  if (!isAsked || question === undefined) {
    return (
      <span ref={isAsked === false ? focusButton : undefined}>
        <Action doing={doing} onPress={press(question ? () => setIsAsked(true) : onMake)}>
          {label}
        </Action>
      </span>
    );
  }
  return (
    <div
      className={form.notice}
      role="alertdialog"
      aria-label={label}
      aria-describedby={said}
      ref={focusButton}
      onKeyDown={onEscape(leave)}
    >
      <p id={said}>{'says' in question ? t('{says} Continue?', { says: question.says }) : question.lacks}</p>
      <div className={form.buttons}>
        <Action doing={doing} onPress={leave}>
          {t('No, not now')}
        </Action>
        <Action doing={doing} onPress={press(onMake)} describedBy={said}>
          {yes}
        </Action>
      </div>
    </div>
  );
}

/** What Escape does here, and no more: the page has a use for it as well. */
export const onEscape = (leave: () => void) => (event: KeyboardEvent) => {
  if (event.key !== 'Escape') return;
  event.preventDefault();
  leave();
};

/** Where one button makes room for others, a keyboard stays at them; what is safe comes first. */
const focusButton = (within: HTMLElement | null) => within?.querySelector('button')?.focus();
