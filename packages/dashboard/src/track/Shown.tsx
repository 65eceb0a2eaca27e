/** @jsxImportSource preact */
import { qrImage } from '../door/qr.js';
import { type Sending, untakenNote } from './door.js';
import { NoteText } from './Pieces.js';
import { t } from '../language.js';

/** What was signed, for the courier's camera. */
export function Shown({ code, sending }: { code: string; sending: Sending | undefined }) {
  const { untaken } = sending ?? {};
  return (
    <>
      <h2>{t('Signed. Show this to the courier')}</h2>
      <img class="qr" src={qrImage(code)} alt={t('The code that the courier scans')} />
      {sending?.waiting === undefined && <p>{t('Sending it.')}</p>}
      <p role="status">{sending?.waiting !== undefined && sent(sending.waiting)}</p>
      {untaken && (
        <p class="problem">
          {t('The service refused it: {why} The courier can still scan the code.', { why: untaken.why })}
        </p>
      )}
    </>
  );
}

function sent(waiting: number): string {
  return waiting === 0
    ? t("The courier's phone also finds it by itself. The courier is paid once that phone has sent it.")
    : t(
        'There is no network here, so your signature waits to be sent. The courier can scan it now and is paid once their phone is online.',
      );
}

/** What was noted and nobody else has yet, wherever the parcel is by now. */
export function Unsent({ sending, isOver }: { sending: Sending | undefined; isOver: boolean }) {
  if (sending === undefined) return null;
  const note = untakenNote(sending);
  if (note) {
    return (
      <section class="door" aria-label={t('Your note')}>
        <p class="problem">{t('The service refused your note: {why} Show it to the shipper.', { why: note.why })}</p>
        <NoteText text={note.text} />
      </section>
    );
  }
  if (sending.waiting === 0 || !isOver) return null;
  return (
    <p class="notice">
      {t(
        'Only this phone has your signature and note. Open this link again once you are online: they are then sent automatically.',
      )}
    </p>
  );
}
