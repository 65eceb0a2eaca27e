import { MAX_TASK_LEGS } from '@legwork/protocol/contract';
import form from '../../wallet/form.module.css';
import type { Typed } from './draft.js';
import styles from './post.module.css';

export interface FieldsProps {
  readonly typed: Typed;
  readonly change: (part: Partial<Typed>) => void;
}

type Line = readonly [Exclude<keyof Typed, 'kind' | 'legs' | 'preset'>, label: string, hint: string];

const MONEY_AND_TIME: readonly Line[] = [
  ['maxBudgetSol', 'Budget, SOL', ''],
  ['hours', 'Deadline, hours from now', ''],
];

const LINES: Readonly<Record<Typed['kind'], readonly Line[]>> = {
  package: [
    ['from', 'From (latitude, longitude)', '52.5208, 13.4095'],
    ['to', 'To (latitude, longitude)', '52.3667, 13.5033'],
    ['weightKg', 'Weight, kg', ''],
    ['volumeLitres', 'Volume, litres', ''],
    ...MONEY_AND_TIME,
  ],
  task: [...MONEY_AND_TIME, ['legMinutes', 'Time for a leg, minutes', '']],
};

/** What is to be carried or done, in the words and figures of who wants it. */
export function Fields({ typed, change }: FieldsProps) {
  const isTask = typed.kind === 'task';
  return (
    <div className={styles.fields}>
      {isTask && (
        <label className={`${form.field} ${styles.whole}`}>
          Title
          <input value={typed.title} autoComplete="off" onChange={({ target }) => change({ title: target.value })} />
        </label>
      )}
      <Words
        label={isTask ? 'The whole goal' : 'What it is'}
        value={typed.description}
        change={(description) => change({ description })}
      />
      {isTask && <Legs typed={typed} change={change} />}
      {LINES[typed.kind].map(([name, label, hint]) => (
        <label key={name} className={form.field}>
          {label}
          <input
            value={typed[name]}
            placeholder={hint}
            inputMode={hint === '' ? 'decimal' : 'text'}
            autoComplete="off"
            onChange={({ target }) => change({ [name]: target.value })}
          />
        </label>
      ))}
    </div>
  );
}

/** One to four: each is another agent's, who gets the result of the one before. */
function Legs({ typed: { legs }, change }: FieldsProps) {
  return (
    <>
      {legs.map((text, index) => (
        <Words
          key={index}
          label={`Leg ${index + 1}: what its agent is to do`}
          value={text}
          change={(next) => change({ legs: legs.with(index, next) })}
        />
      ))}
      <div className={`${form.buttons} ${styles.whole}`}>
        {legs.length < MAX_TASK_LEGS && (
          <button type="button" className={form.button} onClick={() => change({ legs: [...legs, ''] })}>
            Add a leg
          </button>
        )}
        {legs.length > 1 && (
          <button type="button" className={form.button} onClick={() => change({ legs: legs.slice(0, -1) })}>
            Remove leg {legs.length}
          </button>
        )}
      </div>
    </>
  );
}

function Words({ label, value, change }: { label: string; value: string; change: (text: string) => void }) {
  return (
    <label className={`${form.field} ${styles.whole}`}>
      {label}
      <textarea value={value} onChange={({ target }) => change(target.value)} />
    </label>
  );
}
