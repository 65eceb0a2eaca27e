import { type MadeMove, stillOpen } from '@legwork/sdk';
import { stageWord } from '../../data/legWords.js';
import type { Subject } from '../../pages/turns/subject.js';
import { Key } from '../../ui/Key.js';
import { Panel } from '../../ui/Panel.js';
import { Title } from '../../ui/Title.js';
import form from '../../wallet/form.module.css';
import { Divided } from './Divided.js';

/** A ruling that the ledger has. */
export interface Ruled {
  readonly subject: Subject;
  readonly percent: number;
  readonly made: MadeMove;
}

/** What landed is told as landed, and what is still open with it. */
export function Landed({ of: { subject, percent, made } }: { of: Ruled }) {
  const { kind, id, text, leg } = subject;
  return (
    <Panel title={`Ruled: ${percent} % for leg ${leg.legIndex + 1}`} takesFocus>
      <div className={form.step}>
        <p role="status">
          The ledger has your ruling of <Title page={kind} id={id} text={text} />, and the sha256 of your reason with
          it, in transaction <Key value={made.signature} page="transaction" />. The leg is{' '}
          {stageWord(made.stage, percent)} now
          {stillOpen(made)}. It cannot be taken back.
        </p>
        <Divided percent={percent} subject={subject} />
      </div>
    </Panel>
  );
}
