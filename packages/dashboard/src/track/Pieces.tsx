/** @jsxImportSource preact */
import type { KeyPairSigner } from '@solana/kit';
import { useState } from 'preact/hooks';
import { partsOf } from '../door/note.js';
import { type Piece, readPieces } from './evidence.js';
import type { Parcel } from './service.js';
import { faultOf, timeOf } from './words.js';
import { t } from '../language.js';

interface Props {
  readonly parcel: Parcel;
  readonly signer: KeyPairSigner;
}

type Read = Awaited<ReturnType<typeof readPieces>>;

/** What couriers and others noted and photographed, once somebody wants to see it: it is more than a bad network brings by itself. */
export function Pieces({ parcel, signer }: Props) {
  const [read, setRead] = useState<Read>();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  if (parcel.erasedAt) return <p class="notice">{t('Its notes and photographs were erased for good.')}</p>;
  const show = async () => {
    setIsBusy(true);
    setProblem(undefined);
    await readPieces(parcel, signer).then(setRead, (error: unknown) => setProblem(faultOf(error)));
    setIsBusy(false);
  };
  return (
    <section aria-label={t('Notes and photographs')}>
      <h2>{t('Notes and photographs')}</h2>
      {read?.map(({ legIndex, pieces }) => (
        <section key={legIndex} aria-label={t('Leg of courier {number}', { number: legIndex + 1 })}>
          <h3>{t('Leg of courier {number}', { number: legIndex + 1 })}</h3>
          {pieces.map((piece, index) => (
            <Shown key={index} of={piece} />
          ))}
        </section>
      ))}
      <p role="status">{isBusy ? t('One moment.') : read?.length === 0 ? t('No notes or photographs yet.') : ''}</p>
      {problem && (
        <p role="alert" class="problem">
          {t('They cannot be loaded: {problem}', { problem })}
        </p>
      )}
      <button type="button" class="second" aria-disabled={isBusy} onClick={() => isBusy || void show()}>
        {read === undefined ? t('Show notes and photographs') : t('Refresh')}
      </button>
    </section>
  );
}

function Shown({ of: { by, at, words, photos, unshown } }: { of: Piece }) {
  return (
    <figure>
      <figcaption>
        {by}, {timeOf(at)}
      </figcaption>
      <Parts words={words} photos={photos} alt={t('Photograph: {by}', { by })} />
      {unshown > 0 && <p class="problem">{t('A picture is not shown: it is too large or not a picture.')}</p>}
    </figure>
  );
}

/** A note as it is: whatever stands in it is never read as markup. */
export function NoteText({ text }: { text: string }) {
  return <Parts {...partsOf(text)} alt={t('Your photograph')} />;
}

function Parts({ words, photos, alt }: Pick<Piece, 'words' | 'photos'> & { alt: string }) {
  return (
    <>
      {words && (
        <p class="note" dir="auto">
          {words}
        </p>
      )}
      {photos.map((photo, index) => (
        <img key={index} class="photo" src={photo} alt={alt} />
      ))}
    </>
  );
}
