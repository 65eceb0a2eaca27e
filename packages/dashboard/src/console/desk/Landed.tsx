import { type MadeMove, stillOpen } from '@legwork/sdk';
import { stageWord } from '../../data/legWords.js';
import type { Subject } from '../../pages/turns/subject.js';
import { Key } from '../../ui/Key.js';
import { Facts, Panel } from '../../ui/Panel.js';
import { Title } from '../../ui/Title.js';
import form from '../../wallet/form.module.css';
import { Divided } from './Divided.js';
import { t } from '../../language.js';

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
    <Panel title={t('Ruled: {percent} % for leg {number}', { percent, number: leg.legIndex + 1 })} takesFocus>
      <div className={form.step}>
        <p>{t('The ledger has your ruling, and the sha256 of your reason with it. It stands.')}</p>
        <Facts
          of={[
            [kind === 'package' ? t('Package') : t('Task'), <Title key="of" page={kind} id={id} text={text} />],
            [t('Transaction'), <Key key="signature" value={made.signature} page="transaction" />],
            [t('The leg'), `${stageWord(made.stage, percent)}${stillOpen(made)}`],
          ]}
        />
        <Divided percent={percent} subject={subject} />
      </div>
    </Panel>
  );
}
