import { useCallback, useRef } from 'react';
import { DiffersIcon, KeyboardIcon } from '../ui/icons.js';
import buttons from './IconButton.module.css';
import { GO, useKeys } from './keys.js';
import styles from './KeysDialog.module.css';
import { m, type Message, t } from '../language.js';

const OTHERS: readonly (readonly [keys: readonly string[], does: Message])[] = [
  [['/', /Mac|iP/.test(navigator.platform) ? '⌘K' : 'Ctrl K'], m('Find something')],
  [['j'], m('Next row')],
  [['k'], m('Previous row')],
  [['Enter'], m('Open the row')],
  [['Esc'], m('Back to the list')],
  [['?'], m('These shortcuts')],
];

/** The keys of every page, in a list that switches them off as well. */
export function KeysDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const show = useCallback(() => dialog.current?.showModal(), []);
  const { areOn, switchKeys } = useKeys(show);
  return (
    <>
      <button
        type="button"
        className={`${buttons.button} ${styles.opens}`}
        aria-label={t('Keyboard shortcuts')}
        title={t('Keyboard shortcuts')}
        onClick={show}
      >
        <KeyboardIcon />
      </button>
      <dialog ref={dialog} className={styles.dialog} aria-labelledby="keys">
        <header>
          <h2 id="keys">{t('Keyboard shortcuts')}</h2>
          <form method="dialog">
            <button type="submit" className={buttons.button} aria-label={t('Close')}>
              <DiffersIcon />
            </button>
          </form>
        </header>
        <dl>
          {OTHERS.map(([keys, does]) => (
            <Key key={t(does)} keys={keys} does={t(does)} />
          ))}
          {Object.entries(GO).map(([letter, { name }]) => (
            <Key key={letter} keys={['g', letter]} does={t(name)} />
          ))}
        </dl>
        <label>
          <input type="checkbox" checked={areOn} onChange={(event) => switchKeys(event.target.checked)} />
          {t('Use single-key shortcuts')}
        </label>
      </dialog>
    </>
  );
}

function Key({ keys, does }: { keys: readonly string[]; does: string }) {
  return (
    <div>
      <dt>{does}</dt>
      <dd>
        {keys.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dd>
    </div>
  );
}
