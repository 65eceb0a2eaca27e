import { Fragment } from 'react';
import form from '../../wallet/form.module.css';
import { Labelled } from '../../wallet/Labelled.js';
import { MAX_TASK_LEGS } from '@legwork/protocol/contract';
import { type Asset, formatAmount, isInSol } from '@legwork/sdk';
import { PlaceField } from '../../places/PlaceField.js';
import type { Faults, Typed } from './draft.js';
import { Expected } from './Expected.js';
import styles from './post.module.css';
import type { Quoted } from './useQuoted.js';
import { t } from '../../language.js';

export interface FieldsProps {
  readonly typed: Typed;
  readonly change: (part: Partial<Typed>) => void;
  /** What is to be shown as wrong. */
  readonly faults: Faults;
}

interface Props extends FieldsProps {
  /** What the like was paid. */
  readonly quoted: Quoted;
  /** What it can be paid in, SOL first. */
  readonly assets: readonly Asset[];
}

type Line = readonly [name: 'weightKg' | 'volumeLitres' | 'budget' | 'hours' | 'legMinutes', label: string];

const linesOf = (kind: Typed['kind'], unit: string): readonly Line[] => {
  const budget: Line = ['budget', t('Budget, {unit}', { unit })];
  const hours: Line = ['hours', t('Deadline, hours from now')];
  return kind === 'package'
    ? [['weightKg', t('Weight, kg')], ['volumeLitres', t('Volume, litres')], budget, hours]
    : [budget, hours, ['legMinutes', t('Time per leg, minutes')]];
};

/** What is to be carried or done, in the words and figures of who wants it. */
export function Fields({ typed, change, faults, quoted, assets }: Props) {
  const isTask = typed.kind === 'task';
  return (
    <div className={form.fields}>
      {isTask && (
        <Labelled label={t('Title')} fault={faults.title} isWhole>
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
        label={isTask ? t('Goal') : t('Description')}
        value={typed.description}
        fault={faults.description}
        change={(description) => change({ description })}
      />
      {isTask && <Legs typed={typed} change={change} faults={faults} />}
      {!isTask && <Places typed={typed} change={change} faults={faults} />}
      {linesOf(typed.kind, unitOf(typed)).map(([name, label]) => (
        <Fragment key={name}>
          {name === 'budget' && assets.length > 1 && <AssetChoice typed={typed} change={change} assets={assets} />}
          <Labelled label={label} fault={faults[name]}>
            {(aria) => (
              <>
                <input
                  {...aria}
                  value={typed[name]}
                  inputMode="decimal"
                  autoComplete="off"
                  onChange={({ target }) => change({ [name]: target.value })}
                />
                {name === 'budget' && <Expected of={quoted} isInSol={isInSol(typed)} />}
              </>
            )}
          </Labelled>
        </Fragment>
      ))}
    </div>
  );
}

/** A name as it stands beside an amount; a token without one goes by its mint. */
const unitOf = (of: Pick<Asset, 'asset'>) => formatAmount(0n, { ...of, decimals: 0 }).slice(2);

/** What it pays in. An amount of one asset is none of another, so the budget is asked for again. */
function AssetChoice({ typed, change, assets }: Pick<Props, 'typed' | 'change' | 'assets'>) {
  return (
    <fieldset className={`${form.whole} ${styles.assets}`} role="radiogroup">
      <legend>{t('Pays in')}</legend>
      {assets.map(({ asset }) => (
        <label key={asset}>
          <input
            type="radio"
            name="asset"
            checked={typed.asset === asset}
            onChange={() => change({ asset, budget: '', isBudgetOwn: false })}
          />{' '}
          {unitOf({ asset })}
        </label>
      ))}
    </fieldset>
  );
}

/** From where to where. What is exact about them stays between the two who meet there. */
function Places({ typed, change, faults }: FieldsProps) {
  return (
    <div className={`${form.whole} ${styles.places}`}>
      <PlaceField
        label={t('From')}
        fault={faults.from}
        place={typed.origin}
        before={typed.from}
        change={(origin, from) => change({ origin, from })}
      />
      <PlaceField
        label={t('To')}
        fault={faults.to}
        place={typed.destination}
        before={typed.to}
        change={(destination, to) => change({ destination, to })}
      />
      <p className={form.hint}>
        {t(
          'Both places are public, to the metre if you set a pin. For a home, set the pin at the nearest corner and tell the courier the rest.',
        )}
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
          label={t('Leg {number}: instructions', { number: index + 1 })}
          value={text}
          fault={faults[`leg ${index}`]}
          change={(next) => change({ legs: legs.with(index, next) })}
        />
      ))}
      <div className={`${form.buttons} ${form.whole}`}>
        {legs.length < MAX_TASK_LEGS && (
          <button type="button" className={form.button} onClick={() => change({ legs: [...legs, ''] })}>
            {t('Add a leg')}
          </button>
        )}
        {legs.length > 1 && (
          <button type="button" className={form.button} onClick={() => change({ legs: legs.slice(0, -1) })}>
            {t('Remove leg {number}', { number: legs.length })}
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
