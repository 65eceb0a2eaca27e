import form from '../../wallet/form.module.css';
import { Labelled } from '../../wallet/Labelled.js';
import { MAX_TASK_LEGS } from '@legwork/protocol/contract';
import type { Faults, Typed } from './draft.js';
import { Expected } from './Expected.js';

export interface FieldsProps {
  readonly typed: Typed;
  readonly change: (part: Partial<Typed>) => void;
  /** What is to be shown as wrong. */
  readonly faults: Faults;
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
export function Fields({ typed, change, faults }: FieldsProps) {
  const isTask = typed.kind === 'task';
  return (
    <div className={form.fields}>
      {isTask && (
        <Labelled label="Title" fault={faults.title} isWhole>
          {(aria) => (
            <input
              {...aria}
              value={typed.title}
              autoComplete="off"
              onChange={({ target }) => change({ title: target.value })}
            />
          )}
        </Labelled>
      )}
      <Words
        label={isTask ? 'The whole goal' : 'What it is'}
        value={typed.description}
        fault={faults.description}
        change={(description) => change({ description })}
      />
      {isTask && <Legs typed={typed} change={change} faults={faults} />}
      {LINES[typed.kind].map(([name, label, hint]) => (
        <Labelled key={name} label={label} fault={faults[name]}>
          {(aria) => (
            <>
              <input
                {...aria}
                value={typed[name]}
                placeholder={hint}
                inputMode={hint === '' ? 'decimal' : 'text'}
                autoComplete="off"
                onChange={({ target }) => change({ [name]: target.value })}
              />
              {name === 'maxBudgetSol' && <Expected typed={typed} />}
            </>
          )}
        </Labelled>
      ))}
    </div>
  );
}

/** One to four: each is another agent's, who gets the result of the one before. */
function Legs({ typed: { legs }, change, faults }: FieldsProps) {
  return (
    <>
      {legs.map((text, index) => (
        <Words
          key={index}
          label={`Leg ${index + 1}: what its agent is to do`}
          value={text}
          fault={faults[`leg ${index}`]}
          change={(next) => change({ legs: legs.with(index, next) })}
        />
      ))}
      <div className={`${form.buttons} ${form.whole}`}>
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

interface WordsProps {
  readonly label: string;
  readonly value: string;
  readonly fault: string | undefined;
  readonly change: (text: string) => void;
}

function Words({ label, value, fault, change }: WordsProps) {
  return (
    <Labelled label={label} fault={fault} isWhole>
      {(aria) => <textarea {...aria} value={value} onChange={({ target }) => change(target.value)} />}
    </Labelled>
  );
}
