import { pagePath } from '@legwork/protocol/contract';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { ServiceConfig } from '@legwork/sdk';
import { Panel } from '../../ui/Panel.js';
import { Action, Told } from '../../wallet/Action.js';
import form from '../../wallet/form.module.css';
import { useSession } from '../../wallet/session.js';
import { useDoing } from '../../wallet/useDoing.js';
import { deadlineIn, readTyped, type Typed } from './draft.js';
import { PresetChoice } from './PresetChoice.js';
import styles from './post.module.css';
import { Summary } from './Summary.js';
import { useListing } from './useListing.js';

type Text = Exclude<keyof Typed, 'preset'>;

const FIELDS: readonly (readonly [Text, label: string, hint: string])[] = [
  ['from', 'From (latitude, longitude)', '52.5208, 13.4095'],
  ['to', 'To (latitude, longitude)', '52.3667, 13.5033'],
  ['weightKg', 'Weight, kg', ''],
  ['volumeLitres', 'Volume, litres', ''],
  ['maxBudgetSol', 'Budget, SOL', ''],
  ['hours', 'Deadline, hours from now', ''],
];

const EMPTY = {
  description: '',
  from: '',
  to: '',
  weightKg: '',
  volumeLitres: '',
  maxBudgetSol: '',
  hours: '72',
  receiver: '',
};

export function PostForm({ config }: { config: ServiceConfig }) {
  const { arbiterPubkey } = config;
  const [typed, setTyped] = useState<Typed>({ ...EMPTY, preset: arbiterPubkey === null ? 'plain' : 'standard' });
  const { isSigned, forget, list } = useListing();
  const [, go] = useLocation();
  const session = useSession();
  const doing = useDoing();
  const change = (part: Partial<Typed>) => {
    setTyped({ ...typed, ...part });
    forget();
  };
  const read = readTyped(typed, arbiterPubkey);
  const submit = async () => {
    if (!session) return 'Connect the wallet that pays for it.';
    if (typeof read === 'string') return read;
    const draft = { ...read.draft, deadline: deadlineIn(typed.hours) };
    go(pagePath('package', await list(session, draft)));
    return undefined;
  };
  return (
    <Panel title="What, where, for how much">
      <form
        noValidate
        className={form.step}
        onSubmit={(event) => {
          event.preventDefault();
          doing.run('Waiting for your wallet to sign.', submit);
        }}
      >
        <Fields typed={typed} change={change} />
        <PresetChoice typed={typed} change={change} hasArbiter={arbiterPubkey !== null} />
        {typeof read !== 'string' && <Summary read={read} />}
        <Action doing={doing}>{isSigned ? 'Send it again' : 'Sign and list it'}</Action>
        <Told doing={doing} />
      </form>
    </Panel>
  );
}

function Fields({ typed, change }: { typed: Typed; change: (part: Partial<Typed>) => void }) {
  return (
    <div className={styles.fields}>
      <label className={`${form.field} ${styles.whole}`}>
        What it is
        <textarea value={typed.description} onChange={({ target }) => change({ description: target.value })} />
      </label>
      {FIELDS.map(([name, label, hint]) => (
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
