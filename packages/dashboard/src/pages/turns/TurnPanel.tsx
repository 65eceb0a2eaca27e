import { type LegTurnView, pagePath, PAGES } from '@legwork/protocol/contract';
import { useState } from 'react';
import { Link } from 'wouter';
import { joinPath, stageWord } from '../../data/legWords.js';
import { serviceUrl } from '../../data/shell.js';
import { Amount } from '../../ui/Amount.js';
import { CopyButton } from '../../ui/Key.js';
import { Loaded } from '../../ui/Loaded.js';
import { Facts, Panel } from '../../ui/Panel.js';
import { Distance, Time } from '../../ui/Time.js';
import { Title } from '../../ui/Title.js';
import { Told } from '../../wallet/Connect.js';
import form from '../../wallet/form.module.css';
import type { Session } from '../../wallet/session.js';
import { type Doing, useDoing } from '../../wallet/useDoing.js';
import { AskedBack } from '../../wallet/AskedBack.js';
import { Evidence } from './Evidence.js';
import { type Begun, move } from './makeMove.js';
import { ACTIONS, type Question, questionOfAgreement, readPercent, textLabel } from './actionWords.js';
import { type Subject, useSubject } from './subject.js';
import styles from './turns.module.css';
import { m, rich, t } from '../../language.js';

interface Props {
  readonly turn: LegTurnView;
  readonly session: Session;
}

/** A leg that waits for the connected key: by when, what it costs to do nothing, and what it can do. */
export function TurnPanel({ turn, session }: Props) {
  const { kind, legId, legIndex, stage, until } = turn;
  const subject = useSubject(kind, turn.kind === 'package' ? turn.packageId : turn.taskId, legId);
  return (
    <Panel
      title={t('Leg {number}: {stage}', { number: legIndex + 1, stage: stageWord(stage, null) })}
      beside={until && <Distance to={until} />}
    >
      <Loaded query={subject} rows={3}>
        {(known) => (
          <div className={styles.turn}>
            <Facts
              of={[
                [
                  kind === 'package' ? t('Package') : t('Task'),
                  <Title key="of" page={kind} id={known.id} text={known.text} />,
                ],
                [t('Until'), until ? <Time key="until" at={until} /> : t('somebody acts')],
                [t('If you do nothing'), `${t(turn.silence)}.`],
                [t('Stake'), <Amount isExact key="stake" of={turn} amount={turn.stake} />],
                [t('Pays'), <Amount isExact key="pays" of={turn} amount={turn.payment} />],
              ]}
            />
            {known.leg.evidenceHash && <Evidence session={session} subject={known} />}
            <Moves turn={turn} session={session} subject={known} />
          </div>
        )}
      </Loaded>
    </Panel>
  );
}

const HALF = '50';

type MoveName = LegTurnView['actions'][number];

function Moves({ turn, session, subject }: Props & { subject: Subject }) {
  const doing = useDoing();
  const [text, setText] = useState('');
  const [percent, setPercent] = useState(HALF);
  const [begun, setBegun] = useState<Begun>();
  const asksText = textLabel(turn);
  const asksPercent = turn.actions.includes('agree');
  const isOwn = session.account.address === turn.agentPubkey;
  const make = async (action: MoveName) => {
    // What pays early has been asked back before it comes here.
    const said = {
      action,
      text: text.trim(),
      percent: readPercent(percent),
      evenBeforePickup: action === 'confirm',
    };
    const half = await move(session, subject, said);
    setBegun(half);
    return half === undefined ? t(DONE) : undefined;
  };
  return (
    <div className={form.step}>
      {asksText && (
        <label className={form.field}>
          {asksText}
          <textarea value={text} onChange={({ target }) => setText(target.value)} />
        </label>
      )}
      {asksPercent && <Percent of={turn} percent={percent} change={setPercent} />}
      <p>{t(turn.awaited === null ? NOT_AWAITED : AWAITED)}</p>
      <ul className={styles.moves}>
        {turn.moves.map((one) => (
          <Choice
            key={one.action}
            move={one}
            label={ACTIONS[one.action]({ ...turn, isOwn })}
            question={questionOf(one, subject, readPercent(percent), session.account.address)}
            doing={doing}
            // The desk is another app: the browser loads it.
            link={one.action === 'rule' ? `${serviceUrl}${PAGES.desk}?leg=${turn.legId}` : undefined}
            onMake={() => doing.run(t('Waiting for your wallet to sign.'), () => make(one.action))}
          />
        ))}
      </ul>
      <Told doing={doing} />
      <div role="status">{begun && <PassOn subject={subject} begun={begun} />}</div>
    </div>
  );
}

interface PercentProps {
  readonly of: LegTurnView;
  readonly percent: string;
  readonly change: (percent: string) => void;
}

function Percent({ of: { kind }, percent, change }: PercentProps) {
  return (
    <label className={form.field}>
      {t('Percent of the payment for the {kind, select, package {courier} other {agent}}', { kind })}
      <input
        inputMode="numeric"
        autoComplete="off"
        value={percent}
        onChange={({ target }) => change(target.value.trim())}
      />
    </label>
  );
}

const DONE = m('Done. It is on the ledger.');
const AWAITED = m('The move expected of you comes first.');
const NOT_AWAITED = m('Nothing is expected of you yet. You can:');

interface ChoiceProps {
  readonly move: LegTurnView['moves'][number];
  readonly label: string;
  readonly question: Question | undefined;
  readonly doing: Doing;
  /** Where it is made; undefined: here. */
  readonly link: string | undefined;
  readonly onMake: () => void;
}

/** A move with what it does. */
function Choice({ move: { when, does }, link, ...button }: ChoiceProps) {
  return (
    <li className={styles.move}>
      <p>
        {when && <strong>{`${capital(t(when))}: `}</strong>}
        {when ? t(does) : capital(t(does))}.
      </p>
      {link ? <a href={link}>{button.label}</a> : <AskedBack {...button} />}
    </li>
  );
}

/** What is asked before the wallet is: of what pays or forfeits at once, and of what a percentage divides. */
function questionOf(
  { action, does, isFinal }: LegTurnView['moves'][number],
  subject: Subject,
  percent: number | undefined,
  own: string,
): Question | undefined {
  if (action === 'agree') return questionOfAgreement(subject, percent, own);
  return isFinal ? { says: t('It {does}.', { does: t(does) }) } : undefined;
}

const capital = (words: string) => words.replace(/^./, (first) => first.toUpperCase());

/** Where the other side goes on with what was begun here. What is copied has this half with it. */
export function PassOn({ subject: { kind, id, leg }, begun }: { subject: Subject; begun: Begun }) {
  const link = serviceUrl + joinPath(kind, id, leg.id, begun.shared);
  const isPickup = begun.shared.action === 'take';
  return (
    <div className={form.notice}>
      <p>
        {t(isPickup ? TO_SEND : TO_SIGN)}{' '}
        <CopyButton value={`${link}&${new URLSearchParams({ offer: begun.offer })}`} label={t('Copy the link')} />
      </p>
      <p className={styles.link}>
        <code>{link}</code>
      </p>
      {isPickup && (
        <p>
          {rich(
            'Let the parcel go only once leg {number} reads “{stage}” on <page>its page</page>: until then the courier could leave with it and lose nothing.',
            {
              number: leg.legIndex + 1,
              stage: stageWord('carried', null),
              page: (inside) => <Link href={pagePath(kind, id)}>{inside}</Link>,
            },
          )}
        </p>
      )}
    </div>
  );
}

const TO_SIGN = m('The other side must sign it too, within a minute, here');
const TO_SEND = m('Signed. The courier sends it at once, automatically or here');
