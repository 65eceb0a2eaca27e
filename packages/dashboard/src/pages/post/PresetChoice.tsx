import { TERMS_PRESETS, type TermsPreset } from '@legwork/protocol/contract';
import form from '../../wallet/form.module.css';
import type { Kind } from '../../data/legWords.js';
import type { FieldsProps } from './Fields.js';
import styles from './post.module.css';
import { ReceiverChoice } from './ReceiverChoice.js';

const NAMES: Readonly<Record<TermsPreset, string>> = { plain: 'Plain', standard: 'Standard', guarded: 'Guarded' };

const MEANS: Readonly<Record<Kind, Readonly<Record<TermsPreset, string>>>> = {
  package: {
    plain:
      'No stakes, no clocks, nobody who judges: the courier who has the parcel is paid once the next one signs for it.',
    standard:
      'Couriers stake a fifth of the budget and lose it if they are late; you have 24 hours to contradict a delivery, and an arbiter rules.',
    guarded: 'The same with two fifths of the budget, and 72 hours to contradict: for what is worth more.',
  },
  task: {
    plain: 'No stakes, nobody who judges: an agent is paid for what it hands in, whatever it is.',
    standard:
      'Agents stake a fifth of the budget and lose it if they are late; you have an hour to contradict a result, and an arbiter rules.',
    guarded: 'The same with two fifths of the budget, and three hours to contradict: for what is worth more.',
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
        <legend>What binds both sides</legend>
        {TERMS_PRESETS.map((preset) => (
          <label key={preset} className={styles.choice} data-off={preset !== 'plain' && !hasArbiter}>
            <input
              type="radio"
              name="preset"
              checked={typed.preset === preset}
              disabled={preset !== 'plain' && !hasArbiter}
              onChange={() => change({ preset })}
            />
            <span>{NAMES[preset]}</span>
            <small>{MEANS[typed.kind][preset]}</small>
          </label>
        ))}
        {!hasArbiter && <p className={form.hint}>This service names no arbiter, who would have to rule disputes.</p>}
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
