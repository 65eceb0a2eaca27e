import { useSubject } from '../../pages/turns/subject.js';
import { Loaded } from '../../ui/Loaded.js';
import type { Session } from '../../wallet/session.js';
import { Asked } from './Asked.js';
import { type Disputed, listingIdOf } from './Disputes.js';
import type { Ruled } from './Landed.js';
import { Ruling } from './Ruling.js';
import { Sides } from './Sides.js';
import { Timeline } from './Timeline.js';
import styles from './desk.module.css';
import { t } from '../../language.js';

interface Props {
  readonly turn: Disputed;
  readonly session: Session;
  readonly landed: (ruled: Ruled) => Promise<void>;
}

/** A dispute: what was asked for, who contradicts whom, what happened and what was said of it, and the ruling. */
export function Dispute({ turn, session, landed }: Props) {
  const { kind, legId, legIndex } = turn;
  const subject = useSubject(kind, listingIdOf(turn), legId);
  return (
    <Loaded query={subject} rows={12}>
      {(known) => (
        <section
          className={styles.page}
          aria-label={t('Leg {number} of the {kind, select, package {package} other {task}} {title}', {
            number: legIndex + 1,
            kind,
            title: known.text,
          })}
        >
          <Asked subject={known} />
          <Sides subject={known} />
          <Timeline subject={known} session={session} />
          <Ruling subject={known} turn={turn} session={session} landed={landed} />
        </section>
      )}
    </Loaded>
  );
}
