import type { WebhookView } from '@legwork/protocol/contract';
import { useState } from 'react';
import { CopyButton } from '../../../ui/Key.js';
import { Action, Told } from '../../../wallet/Connect.js';
import form from '../../../wallet/form.module.css';
import { Labelled, useTries } from '../../../wallet/Labelled.js';
import { actingFor, type Session } from '../../../wallet/session.js';
import { useDoing } from '../../../wallet/useDoing.js';
import { EMPTY, type Faults, newSecret, readTyped, refusedFields, SIGNING, type Typed } from './draft.js';
import { m, type Message, t } from '../../../language.js';

const LINES: readonly (readonly [keyof Typed, label: Message, hint: string])[] = [
  ['url', m('Address of the receiver'), 'https://agent.example/events'],
  ['secret', m('Secret, for your receiver to keep'), ''],
  ['agent', m('Only listings that this key posted, bid on or worked on'), ''],
  ['package', m('Only this package'), ''],
  ['task', m('Only this digital task'), ''],
  ['near', m('Only packages near (latitude, longitude)'), '52.5208, 13.4095'],
  ['radiusKm', m('Within kilometres'), '25'],
  ['topics', m('Only these event types, separated by commas'), 'LEG_CLAIMED, LEG_RULED'],
];

interface Props {
  readonly session: Session;
  readonly added: (hook: WebhookView) => void;
}

/** Registers a webhook. Its secret is made here and shown before, because the receiver is asked by it at once. Rule D-51. */
export function AddForm({ session, added }: Props) {
  const [typed, setTyped] = useState<Typed>(() => ({
    ...EMPTY,
    agent: session.account.address,
    secret: newSecret(),
  }));
  const [refused, setRefused] = useState<Faults>({});
  const { form: element, isTried, tried } = useTries();
  const doing = useDoing();
  const read = readTyped(typed);
  const faults = { ...refused, ...(isTried && read.faults) };
  const register = async () => {
    if (!read.input) return;
    try {
      const { secret: _, ...hook } = await actingFor(session).client.registerWebhook(read.input);
      added(hook);
    } catch (error) {
      const fields = refusedFields(error);
      if (!fields) throw error;
      setRefused(fields);
      throw new Error(t('The service refused it: see the field above.'), { cause: error });
    }
  };
  return (
    <form
      ref={element}
      noValidate
      className={form.step}
      onSubmit={(event) => {
        event.preventDefault();
        tried();
        setRefused({});
        if (read.faults) doing.tell(undefined);
        else doing.run(t(SIGNING), register);
      }}
    >
      <h3>{t('Add a webhook')}</h3>
      <p className={form.hint}>
        {t(
          'Give the secret to your receiver first: registering asks it at once whether it accepts events, and this page does not show the secret again.',
        )}{' '}
        <CopyButton value={typed.secret} label={t('Copy the secret')} />
      </p>
      <Lines
        typed={typed}
        faults={faults}
        change={(next) => {
          setTyped(next);
          setRefused({});
        }}
      />
      <Action doing={doing}>{t('Register it')}</Action>
      <Told doing={doing} />
    </form>
  );
}

interface LinesProps {
  readonly typed: Typed;
  readonly faults: Faults;
  readonly change: (next: Typed) => void;
}

function Lines({ typed, faults, change }: LinesProps) {
  return (
    <div className={form.fields}>
      {LINES.map(([field, label, hint]) => (
        <Labelled key={field} label={t(label)} fault={faults[field]}>
          {(aria) => (
            <input
              {...aria}
              value={typed[field]}
              placeholder={hint}
              autoComplete="off"
              spellCheck={false}
              onChange={({ target }) => change({ ...typed, [field]: target.value })}
            />
          )}
        </Labelled>
      ))}
    </div>
  );
}
