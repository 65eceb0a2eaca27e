import form from '../../wallet/form.module.css';
import { Labelled } from '../../wallet/Labelled.js';
import { type Receives, RECEIVERS } from './draft.js';
import type { FieldsProps } from './Fields.js';
import styles from './post.module.css';
import { m, type Message, t } from '../../language.js';

const NAMES: Readonly<Record<Receives, readonly [name: Message, means: Message]>> = {
  self: [m('I do'), m('You sign for it with this wallet.')],
  phone: [
    m('Somebody with a phone'),
    m('After listing you get a link for them. They need no wallet and no SOL. Connect the wallet that pays.'),
  ],
  key: [m('Somebody with a key'), m('They sign with their own wallet.')],
};

/** Who signs at the end, which pays. Of a task nobody opens a door. */
export function ReceiverChoice({ typed, change, faults }: FieldsProps) {
  const offered = RECEIVERS.filter((one) => one !== 'phone' || typed.kind === 'package');
  return (
    <>
      <fieldset className={styles.choices} role="radiogroup">
        <legend>{typed.kind === 'package' ? t('Who receives it?') : t('Who accepts the results?')}</legend>
        {offered.map((receives) => (
          <label key={receives} className={styles.choice}>
            <input
              type="radio"
              name="receives"
              checked={typed.receives === receives}
              onChange={() => change({ receives })}
            />
            <span>{t(NAMES[receives][0])}</span>
            <small>{t(NAMES[receives][1])}</small>
          </label>
        ))}
      </fieldset>
      {typed.receives === 'key' && (
        <Labelled label={t("Receiver's key")} fault={faults.receiver}>
          {(aria) => (
            <input
              {...aria}
              className={form.key}
              value={typed.receiver}
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              onChange={({ target }) => change({ receiver: target.value })}
            />
          )}
        </Labelled>
      )}
    </>
  );
}
