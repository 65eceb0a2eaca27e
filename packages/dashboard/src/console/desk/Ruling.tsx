import { makeMove } from '@legwork/sdk';
import { type FormEvent, useState } from 'react';
import type { Kind } from '../../data/legWords.js';
import { readPercent } from '../../pages/turns/actionWords.js';
import type { Subject } from '../../pages/turns/subject.js';
import { Panel } from '../../ui/Panel.js';
import { Distance } from '../../ui/Time.js';
import { AskedBack } from '../../wallet/AskedBack.js';
import { Told } from '../../wallet/Connect.js';
import { Labelled } from '../../wallet/Labelled.js';
import form from '../../wallet/form.module.css';
import { actingFor, type Session } from '../../wallet/session.js';
import { useDoing } from '../../wallet/useDoing.js';
import type { Disputed } from './Disputes.js';
import { Divided } from './Divided.js';
import { questionOfRuling } from './division.js';
import type { Ruled } from './Landed.js';
import styles from './desk.module.css';
import { useId } from '../../ui/useId.js';
import { t } from '../../language.js';

interface Props {
  readonly subject: Subject;
  readonly turn: Disputed;
  readonly session: Session;
  readonly landed: (ruled: Ruled) => Promise<void>;
}

const HALF = '50';

/** The percentage, what it comes to, the reason, and the signature. */
export function Ruling({ subject, turn, session, landed }: Props) {
  const doing = useDoing();
  const [typed, setTyped] = useState(HALF);
  const [reason, setReason] = useState('');
  const percent = readPercent(typed);
  // What was wrong with what stood there says nothing of what stands there now.
  const changing = (set: (text: string) => void) => (text: string) => {
    set(text);
    if (doing.problem !== undefined) doing.tell(undefined);
  };
  const sign = async () => {
    if (percent === undefined) return;
    const { client, signer } = actingFor(session);
    const { kind, id, leg } = subject;
    const of = kind === 'package' ? { packageId: id } : { taskId: id };
    const move = {
      ...of,
      legId: leg.id,
      onChainLeg: leg.onChainLeg,
      action: 'rule',
      percent,
      text: reason.trim(),
    } as const;
    await landed({ subject, percent, made: await makeMove(client, signer, move) });
  };
  return (
    <Panel title={t('Your ruling')} beside={turn.until && <Distance to={turn.until} />}>
      <div className={form.step}>
        <Percent kind={subject.kind} typed={typed} percent={percent} change={changing(setTyped)} />
        {percent !== undefined && <Divided percent={percent} subject={subject} />}
        <Reason reason={reason} change={changing(setReason)} />
        <p>{t('If you do nothing, {silence}.', { silence: t(turn.silence) })}</p>
        <AskedBack
          label={t('Rule')}
          doing={doing}
          question={questionOfRuling(subject, percent, { reason, own: session.account.address })}
          onMake={() => doing.run(t('Waiting for your wallet to sign.'), sign)}
        />
        <Told doing={doing} />
      </div>
    </Panel>
  );
}

interface PercentProps {
  readonly kind: Kind;
  readonly typed: string;
  readonly percent: number | undefined;
  readonly change: (typed: string) => void;
}

function Percent({ kind, typed, percent, change }: PercentProps) {
  const label = t('Percent of the payment for the {kind, select, package {courier} other {agent}}', { kind });
  const take = ({ currentTarget }: FormEvent<HTMLInputElement>) => change(currentTarget.value.trim());
  return (
    <div className={styles.percent}>
      <Labelled label={label} fault={percent === undefined ? t('A whole number from 0 to 100.') : undefined}>
        {(aria) => <input {...aria} inputMode="numeric" autoComplete="off" value={typed} onChange={take} />}
      </Labelled>
      <input
        type="range"
        min={0}
        max={100}
        step={1}
        value={percent ?? HALF}
        aria-label={t('{label}, as a slider', { label })}
        aria-valuetext={percent === undefined ? undefined : t('{percent} percent', { percent })}
        onChange={take}
      />
      <div className={styles.ends} aria-hidden="true">
        <span>{t('0: the claim is wrong')}</span>
        <span>{t('100: the claim is right')}</span>
      </div>
    </div>
  );
}

function Reason({ reason, change }: { reason: string; change: (reason: string) => void }) {
  const hint = useId();
  return (
    <label className={form.field}>
      {t('Your reason')}
      <textarea
        value={reason}
        rows={5}
        aria-describedby={hint}
        onChange={({ currentTarget }) => change(currentTarget.value)}
      />
      <span id={hint} className={form.hint}>
        {t(
          'Its sha256 is signed with the ruling, on the ledger for good. The text is for everybody to read once you have ruled: name no person, number or address.',
        )}
      </span>
    </label>
  );
}
