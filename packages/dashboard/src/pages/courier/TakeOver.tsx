import { handoffCode, type Leg, type LegworkClient, readHandoff, signHandoff } from '@legwork/sdk';
import type { HandoffAhead } from '@legwork/program-client';
import { resultHash } from '@legwork/protocol/rules';
import { getBase16Encoder } from '@solana/kit';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { WaitingCode } from '../../door/codes.js';
import { type Note, withPhoto } from '../../door/note.js';
import { PhotoField } from '../../door/PhotoField.js';
import styles from '../../door/door.module.css';
import { Told } from '../../wallet/Connect.js';
import form from '../../wallet/form.module.css';
import { isAway } from '../../data/faultWords.js';
import { actingFor } from '../../wallet/session.js';
import { useDoing } from '../../wallet/useDoing.js';
import { AskedBack } from '../../wallet/AskedBack.js';
import { move } from '../turns/makeMove.js';
import type { StepProps } from './LegStep.js';
import { takeCode, useCodes } from './useCodes.js';
import { amountIn, t } from '../../language.js';

/**
 * Takes a parcel over from the courier before: as described, or with what is wrong noted. It is signed as a text, which this phone sends, or
 * the other one where this has no network. Rule D-85.
 */
export function TakeOver(props: StepProps) {
  const { leg, parcel } = props;
  const doing = useDoing();
  const [text, setText] = useState('');
  const [photo, setPhoto] = useState<string>();
  const before = parcel.swarm?.legs[leg.legIndex - 1];
  const isThere = before?.stage === 'carried' || before?.stage === 'claimed';
  const { data: ahead } = useAhead(props, isThere);
  const codes = useCodes();
  if (before === undefined || !isThere) {
    return <p>{t('The previous courier does not have the parcel yet. You take it over where their leg ends.')}</p>;
  }
  const isSigned = ahead !== undefined && codes.some((code) => isOf(code, ahead));
  const note = withPhoto(text, photo);
  const pays = amountIn(before.agreedPayment, parcel);
  return (
    <>
      {isSigned ? (
        <p>
          {t(
            'You have signed that you have the parcel. The code above is waiting: send it, or show it to the other phone.',
          )}
        </p>
      ) : (
        <>
          <p>{t('Check the parcel first. If something is wrong, note it here: the note stays in the receipt.')}</p>
          <label className={form.field}>
            {t('What is wrong, if anything')}
            <textarea value={text} onChange={({ target }) => setText(target.value)} />
          </label>
          <PhotoField doing={doing} photo={photo} change={setPhoto} />
          <div className={styles.big}>
            <AskedBack
              label={note === '' ? t('I have it, as described') : t('I have it, with this note')}
              doing={doing}
              question={{ says: asked(leg, pays, note) }}
              onMake={() =>
                doing.run(t('Waiting for your wallet to sign.'), () => takeOver(props, { before, ahead, note }))
              }
            />
          </div>
        </>
      )}
      {/* One region for both: what comes together with its region is told to nobody. */}
      <Told doing={doing} />
    </>
  );
}

function asked({ legIndex }: Leg, pays: string, note: string): string {
  const values = { number: legIndex, pays };
  return note === ''
    ? t(
        'It pays courier {number} its {pays} from escrow, with or without a note. From then on you are liable for the parcel with your stake.',
        values,
      )
    : t(
        'It pays courier {number} its {pays} from escrow, with or without a note. From then on you are liable for the parcel with your stake. Without a network, only this phone has your note until it is sent: keep this page until then.',
        values,
      );
}

/** Whether a code that waits here is of this handoff. */
const isOf = ({ handoff, refused }: WaitingCode, ahead: HandoffAhead): boolean =>
  refused === undefined &&
  handoff.listing === ahead.listing &&
  handoff.legIndex === ahead.legIndex &&
  handoff.formation === ahead.formation;

/** What the text will say, read while there is a network: at the door there may be none. */
function useAhead(props: StepProps, isThere: boolean) {
  const { id, formation } = props.leg;
  return useQuery({
    queryKey: ['ahead', id, formation],
    queryFn: () => readAhead(props),
    enabled: isThere,
  });
}

function readAhead({ session, parcel, leg }: StepProps): Promise<HandoffAhead> {
  const { client, signer } = actingFor(session);
  return readHandoff(client, signer.address, { packageId: parcel.id, legIndex: leg.legIndex - 1 });
}

interface Taken {
  /** The leg that ends. */
  readonly before: Leg;
  readonly ahead: HandoffAhead | undefined;
  readonly note: string;
}

async function takeOver(props: StepProps, { before, ahead, note }: Taken): Promise<string> {
  const { session, subject } = props;
  const { client, signer } = actingFor(session);
  if (!('signMessages' in signer)) {
    if (note !== '')
      throw new Error(
        t('This wallet cannot sign messages, and a note needs one. Take the parcel over without a note.'),
      );
    await move(
      session,
      { ...subject, leg: before },
      { action: 'confirm', text: '', percent: undefined, evenBeforePickup: false },
    );
    return t('Done. It is on the ledger.');
  }
  const waits = note === '' ? undefined : await putNote(client, { legId: before.id, text: note });
  const noted = note === '' ? undefined : getBase16Encoder().encode(resultHash(note).hex);
  const says = ahead ?? (await readAhead(props));
  return takeCode(session, handoffCode(await signHandoff(signer, says, { noted })), waits);
}

/** What the service refuses is told before anything is signed. @returns the note, where there is no network: it waits with the code */
function putNote(client: LegworkClient, note: Note): Promise<Note | undefined> {
  return client.putEvidence(note).then(
    () => undefined,
    (error: unknown) => {
      if (isAway(error)) return note;
      throw error;
    },
  );
}
