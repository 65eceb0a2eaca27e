import { lazy, Suspense } from 'react';
import type { WaitingCode } from '../../door/codes.js';
import { Scanner } from '../../door/Scanner.js';
import styles from '../../door/door.module.css';
import { Key } from '../../ui/Key.js';
import { Panel } from '../../ui/Panel.js';
import { Time } from '../../ui/Time.js';
import { Action, Told } from '../../wallet/Connect.js';
import form from '../../wallet/form.module.css';
import type { Session } from '../../wallet/session.js';
import { useDoing } from '../../wallet/useDoing.js';
import { AskedBack } from '../turns/AskedBack.js';
import { forget, send, takeCode, useCodes } from './useCodes.js';

const CodePicture = lazy(() => import('../../door/CodePicture.js'));

/** What is done at every door: scan what the other one shows. It works without a network, and what was scanned waits here. Rule D-84. */
export function Codes({ session }: { session: Session | undefined }) {
  const doing = useDoing();
  const codes = useCodes();
  return (
    <Panel title="At a door">
      <div className={styles.codes}>
        <Scanner label="Scan a code" doing={doing} onCode={(text) => takeCode(session, text)} />
        <Told doing={doing} />
        {codes.map((code) => (
          <Waiting key={code.code} of={code} session={session} />
        ))}
      </div>
    </Panel>
  );
}

const SAID = {
  'picked up': 'The shipper hands the parcel to its first courier',
  'taken over': 'The next courier has taken the parcel over',
  received: 'The parcel was received',
  accepted: 'The result was accepted',
} as const;

function Waiting({ of, session }: { of: WaitingCode; session: Session | undefined }) {
  const doing = useDoing();
  const { handoff, refused } = of;
  const isNoted = handoff.said !== 'accepted' && handoff.noted !== undefined;
  return (
    <div className={form.step}>
      <h3>{refused === undefined ? 'Waiting to be sent' : 'The ledger did not take it'}</h3>
      <p>
        {SAID[handoff.said]}
        {isNoted && ', with a note'}. Signed <Time at={handoff.signedAt} /> for leg {handoff.legIndex + 1} of{' '}
        <Key value={handoff.listing} page="account" />
      </p>
      {refused === undefined ? (
        <p className={form.hint}>
          Nobody is paid by it before it is sent, and a clock that ends first decides instead.
        </p>
      ) : (
        <p className={form.problem}>{refused}</p>
      )}
      <details>
        <summary>Show it to another phone</summary>
        <Suspense fallback={null}>
          <CodePicture of={of.code} label="The code, for another camera" />
        </Suspense>
      </details>
      <div className={form.buttons}>
        {session && (
          <Action doing={doing} onPress={() => doing.run('Sending it.', () => send(session, of))}>
            Send it now
          </Action>
        )}
        <AskedBack
          label="Delete it"
          doing={doing}
          question={{
            says: 'What was signed is lost here: who signed it has to show it again, or nobody is paid by it.',
          }}
          yes="Yes, delete it"
          onMake={() => doing.run('Deleting it.', () => forget(of))}
        />
      </div>
      {/* What the ledger refused stands above. */}
      {(refused === undefined || doing.problem !== refused) && <Told doing={doing} />}
    </div>
  );
}
