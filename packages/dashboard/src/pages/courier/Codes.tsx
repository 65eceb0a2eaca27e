import { lazy, Suspense, useEffect } from 'react';
import type { WaitingCode } from '../../door/codes.js';
import { partsOf } from '../../door/note.js';
import { Scanner } from '../../door/Scanner.js';
import styles from '../../door/door.module.css';
import { Key } from '../../ui/Key.js';
import { Panel } from '../../ui/Panel.js';
import { Time } from '../../ui/Time.js';
import { Action, Told } from '../../wallet/Connect.js';
import form from '../../wallet/form.module.css';
import type { Session } from '../../wallet/session.js';
import { type Doing, useDoing } from '../../wallet/useDoing.js';
import { AskedBack } from '../../wallet/AskedBack.js';
import { forget, send, sending, takeCode, useCodes } from './useCodes.js';
import { m, rich, t } from '../../language.js';

const picturing = () => import('../../door/CodePicture.js');
const CodePicture = lazy(picturing);

/** What is done at every door: scan what the other one shows. It works without a network, and what was scanned waits here. Rule D-84. */
export function Codes({ session }: { session: Session | undefined }) {
  const doing = useDoing();
  const codes = useCodes();
  // At a door there may be no network for them.
  useEffect(() => void Promise.all([picturing(), sending()]).catch(() => undefined), []);
  return (
    <Panel title={t('At a door')}>
      <div className={styles.codes}>
        <Scanner label={t('Scan a code')} doing={doing} onCode={(text) => takeCode(session, text)} />
        {/* What the ledger refused stands with its code. */}
        {!codes.some(({ refused }) => refused !== undefined && refused === doing.problem) && <Told doing={doing} />}
        {codes.map((code) => (
          <Waiting key={code.code} of={code} session={session} doing={doing} />
        ))}
      </div>
    </Panel>
  );
}

const SAID = {
  'picked up': m('The shipper hands the parcel to its first courier'),
  'taken over': m('The next courier has taken the parcel over'),
  received: m('The parcel was received'),
  accepted: m('The result was accepted'),
} as const;

interface WaitingProps {
  readonly of: WaitingCode;
  readonly session: Session | undefined;
  /** Of all of them: what is sent is not shown here any more, and what became of it is. */
  readonly doing: Doing;
}

function Waiting({ of, session, doing }: WaitingProps) {
  const { handoff, refused, note } = of;
  const isNoted = handoff.said !== 'accepted' && handoff.noted !== undefined;
  const signed = {
    what: t(SAID[handoff.said]),
    time: <Time at={handoff.signedAt} />,
    number: handoff.legIndex + 1,
    listing: <Key value={handoff.listing} page="account" />,
  };
  return (
    <div className={form.step}>
      <h3>{headingOf(of)}</h3>
      <p>
        {isNoted
          ? rich('{what}, with a note. Signed {time} for leg {number} of {listing}', signed)
          : rich('{what}. Signed {time} for leg {number} of {listing}', signed)}
      </p>
      {refused === undefined ? (
        !of.isSent && (
          <p className={form.hint}>
            {t('It pays nobody until it is sent. If a clock ends first, that decides instead.')}
          </p>
        )
      ) : (
        <p className={form.problem}>{refused}</p>
      )}
      {note && <Kept note={note} />}
      <details>
        <summary>{t('Show the code to another phone')}</summary>
        <Suspense fallback={null}>
          <CodePicture of={of.code} label={t('The code, for another camera')} />
        </Suspense>
      </details>
      <div className={form.buttons}>
        {session && (
          <Action doing={doing} onPress={() => doing.run(t('Sending it.'), () => send(session, of))}>
            {t('Send it now')}
          </Action>
        )}
        <AskedBack
          label={t('Delete it')}
          doing={doing}
          question={{
            says: of.isSent
              ? t('Your note is lost: the receipt keeps only its fingerprint.')
              : t('The signed code is lost: unless the signer shows it again, it pays nobody.'),
          }}
          yes={t('Yes, delete it')}
          onMake={() => doing.run(t('Deleting it.'), () => forget(of))}
        />
      </div>
    </div>
  );
}

function headingOf({ refused, isSent }: WaitingCode): string {
  if (isSent) return t('Sent without its note');
  return refused === undefined ? t('Waiting to be sent') : t('The ledger refused it');
}

/** What was noted, which nobody else has yet. */
function Kept({ note: { text, refused } }: { note: NonNullable<WaitingCode['note']> }) {
  const { words, photos } = partsOf(text);
  return (
    <>
      <p className={form.hint}>{t('This phone sends your note first, and only this phone has it:')}</p>
      <p className={styles.note}>{words}</p>
      {photos.map((photo) => (
        <img key={photo} className={styles.photo} src={photo} alt={t('Your photograph')} />
      ))}
      {refused && (
        <p className={form.problem}>
          {t('The service refused the note: {why} Keep it, and show it to the shipper.', { why: refused })}
        </p>
      )}
    </>
  );
}
