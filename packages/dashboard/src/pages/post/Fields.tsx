import form from '../../wallet/form.module.css';
import { Labelled } from '../../wallet/Labelled.js';
import { MAX_TASK_LEGS } from '@legwork/protocol/contract';
import { PlaceField } from '../../places/PlaceField.js';
import type { Faults, Typed } from './draft.js';
import { Expected } from './Expected.js';
import styles from './post.module.css';
import type { Quoted } from './useQuoted.js';

export interface FieldsProps {
  readonly typed: Typed;
  readonly change: (part: Partial<Typed>) => void;
  /** What is to be shown as wrong. */
  readonly faults: Faults;
}

interface Props extends FieldsProps {
  /** What the like was paid. */
  readonly quoted: Quoted;
}

type Line = readonly [name: 'weightKg' | 'volumeLitres' | 'maxBudgetSol' | 'hours' | 'legMinutes', label: string];

const MONEY_AND_TIME: readonly Line[] = [
  ['maxBudgetSol', 'Budget, SOL'],
  ['hours', 'Deadline, hours from now'],
];

const LINES: Readonly<Record<Typed['kind'], readonly Line[]>> = {
  package: [['weightKg', 'Weight, kg'], ['volumeLitres', 'Volume, litres'], ...MONEY_AND_TIME],
  task: [...MONEY_AND_TIME, ['legMinutes', 'Time for a leg, minutes']],
};

/** What is to be carried or done, in the words and figures of who wants it. */
export function Fields({ typed, change, faults, quoted }: Props) {
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
      {!isTask && <Places typed={typed} change={change} faults={faults} />}
      {LINES[typed.kind].map(([name, label]) => (
        <Labelled key={name} label={label} fault={faults[name]}>
          {(aria) => (
            <>
              <input
                {...aria}
                value={typed[name]}
                inputMode="decimal"
                autoComplete="off"
                onChange={({ target }) => change({ [name]: target.value })}
              />
              {name === 'maxBudgetSol' && <Expected of={quoted} />}
            </>
          )}
        </Labelled>
      ))}
    </div>
  );
}

/** From where to where. What is exact about them stays between the two who meet there. */
function Places({ typed, change, faults }: FieldsProps) {
  return (
    <div className={`${form.whole} ${styles.places}`}>
      <PlaceField
        label="From"
        fault={faults.from}
        place={typed.origin}
        before={typed.from}
        change={(origin, from) => change({ origin, from })}
      />
      <PlaceField
        label="To"
        fault={faults.to}
        place={typed.destination}
        before={typed.to}
        change={(destination, to) => change({ destination, to })}
      />
      <p className={form.hint}>
        Everybody can read both places, to the metre if you set a pin. At a home, set the pin to the next corner, and
        tell the courier the rest.
      </p>
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
