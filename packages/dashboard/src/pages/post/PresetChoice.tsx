import { TERMS_PRESETS, type TermsPreset } from '@legwork/protocol/contract';
import form from '../../wallet/form.module.css';
import type { Kind } from '../../data/legWords.js';
import type { FieldsProps } from './Fields.js';
import styles from './post.module.css';
import { ReceiverChoice } from './ReceiverChoice.js';
import { m, type Message, t } from '../../language.js';

const NAMES: Readonly<Record<TermsPreset, Message>> = {
  plain: m('Plain'),
  standard: m('Standard'),
  guarded: m('Guarded'),
};

const MEANS: Readonly<Record<Kind, Readonly<Record<TermsPreset, Message>>>> = {
  package: {
    plain: m('No stakes, no clocks, no arbiter: a courier is paid once the next one signs for the parcel.'),
    standard: m(
      'Couriers stake a fifth of the budget and lose it if they are late. You have 24 hours to dispute a delivery, and an arbiter rules.',
    ),
    guarded: m('The same with two fifths of the budget and 72 hours to dispute: for parcels worth more.'),
  },
  task: {
    plain: m('No stakes, no arbiter: an agent is paid for whatever it hands in.'),
    standard: m(
      'Agents stake a fifth of the budget and lose it if they are late. You have an hour to dispute a result, and an arbiter rules.',
    ),
    guarded: m('The same with two fifths of the budget and three hours to dispute: for results worth more.'),
  },
};

interface Props extends FieldsProps {
  /** The service names who rules disputes. */
  readonly hasArbiter: boolean;
}

/** What binds both sides, and who receives it. */
export function PresetChoice({ typed, change, faults, hasArbiter }: Props) {
  return (
    <>
      <fieldset
        className={styles.choices}
        role="radiogroup"
        aria-invalid={faults.preset === undefined ? undefined : true}
        aria-describedby={faults.preset === undefined ? undefined : 'preset-fault'}
      >
        <legend>{t('Terms')}</legend>
        {TERMS_PRESETS.map((preset) => (
          <label key={preset} className={styles.choice} data-off={preset !== 'plain' && !hasArbiter}>
            <input
              type="radio"
              name="preset"
              checked={typed.preset === preset}
              disabled={preset !== 'plain' && !hasArbiter}
              onChange={() => change({ preset })}
            />
            <span>{t(NAMES[preset])}</span>
            <small>{t(MEANS[typed.kind][preset])}</small>
          </label>
        ))}
        {!hasArbiter && (
          <p className={form.hint}>{t('This service has no arbiter to rule disputes, so only Plain is open.')}</p>
        )}
        {faults.preset !== undefined && (
          <p id="preset-fault" className={form.problem}>
            {faults.preset}
          </p>
        )}
      </fieldset>
      {typed.preset !== 'plain' && <ReceiverChoice typed={typed} change={change} faults={faults} />}
    </>
  );
}
