import type { PackageTurnView } from '@legwork/protocol/contract';
import { useState } from 'react';
import { stageWord } from '../../data/legWords.js';
import { useRead } from '../../data/service.js';
import { Amount } from '../../ui/Amount.js';
import { Loaded } from '../../ui/Loaded.js';
import { Facts, Panel } from '../../ui/Panel.js';
import { Distance, Time } from '../../ui/Time.js';
import { Title } from '../../ui/Title.js';
import { Action, Told } from '../../wallet/Action.js';
import form from '../../wallet/form.module.css';
import type { Session } from '../../wallet/session.js';
import { useDoing } from '../../wallet/useDoing.js';
import { Evidence } from './Evidence.js';
import { type Begun, move, type Subject } from './makeMove.js';
import { PassOn } from './PassOn.js';
import { ACTIONS, textLabel } from './actionWords.js';
import styles from './turns.module.css';

interface Props {
  readonly turn: PackageTurnView;
  readonly session: Session;
}

/** A leg that waits for the connected key: by when, what it costs to do nothing, and what it can do. */
export function TurnPanel({ turn, session }: Props) {
  const { packageId, legId, legIndex, stage, until } = turn;
  const parcel = useRead('getPackage', { packageId });
  const leg = parcel.data?.swarm?.legs.find(({ id }) => id === legId);
  return (
    <Panel title={`Leg ${legIndex + 1}: ${stageWord(stage, null)}`} beside={until && <Distance to={until} />}>
      <Loaded query={parcel} rows={3}>
        {(detail) => (
          <div className={styles.turn}>
            <Facts
              of={[
                ['Package', <Title key="package" page="package" id={packageId} text={detail.description} />],
                ['Until', until ? <Time key="until" at={until} /> : 'somebody does it'],
                ['If you do nothing', `${turn.silence}.`],
                ['Stake', <Amount key="stake" lamports={turn.stakeLamports} />],
                ['Pays', <Amount key="pays" lamports={turn.paymentLamports} />],
              ]}
            />
            {leg && <Moves turn={turn} session={session} subject={{ parcel: detail, leg }} />}
            {leg?.evidenceHash && <Evidence session={session} leg={leg} />}
          </div>
        )}
      </Loaded>
    </Panel>
  );
}

const HALF = 50;

function Moves({ turn, session, subject }: Props & { subject: Subject }) {
  const doing = useDoing();
  const [text, setText] = useState('');
  const [percent, setPercent] = useState(HALF);
  const [begun, setBegun] = useState<Begun>();
  const asksText = textLabel(turn.actions);
  const asksPercent = turn.actions.some((action) => action === 'rule' || action === 'agree');
  const make = async (action: PackageTurnView['actions'][number]) =>
    setBegun(await move(session, subject, { action, text: text.trim(), percent }));
  return (
    <div className={form.step}>
      {asksText && (
        <label className={form.field}>
          {asksText}
          <textarea value={text} onChange={({ target }) => setText(target.value)} />
        </label>
      )}
      {asksPercent && (
        <label className={styles.percent}>
          <span className={form.field}>
            Percent of its payment for the courier
            <input
              type="number"
              min={0}
              max={100}
              value={percent}
              onChange={({ target }) => setPercent(target.valueAsNumber)}
            />
          </span>
        </label>
      )}
      <div className={form.buttons}>
        {turn.actions.map((action) => (
          <Action
            key={action}
            doing={doing}
            onPress={() => doing.run('Waiting for your wallet to sign.', () => make(action))}
          >
            {ACTIONS[action](turn)}
          </Action>
        ))}
      </div>
      <Told doing={doing} />
      {begun && <PassOn subject={subject} begun={begun} />}
    </div>
  );
}
