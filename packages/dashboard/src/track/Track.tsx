/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Door } from './Door.js';
import { Pieces } from './Pieces.js';
import type { Parcel } from './service.js';
import { Unsent } from './Shown.js';
import { Sketch } from './Sketch.js';
import { type Holder, type Signed, useDelivery, useHolder, useWaiting } from './useDelivery.js';
import { legWord, type Standing, standingOf, timeOf } from './words.js';
import { choose, otherLanguage, t } from '../language.js';

/** What a consignee sees of one delivery, and how it signs that it arrived. Rule D-82. */
export function Track({ id, words }: { id: string; words: string }) {
  const { delivery, problem, read } = useDelivery(id);
  const holder = useHolder(delivery, words);
  const signed = useWaiting(id, holder, read);
  if (delivery === undefined) {
    return (
      <Page title={problem ? t('This delivery cannot be shown') : t('Your delivery')}>
        <p role="status">{problem ?? t('One moment.')}</p>
        {problem && (
          <button type="button" onClick={() => void read()}>
            {t('Try again')}
          </button>
        )}
      </Page>
    );
  }
  const { parcel, why } = delivery;
  const standing = standingOf(parcel);
  return (
    <Page title={standing.title}>
      <p role="status">{standing.says}</p>
      {why && (
        <p class="notice">
          {why} {t('This is the last known state.')}
        </p>
      )}
      <Act parcel={parcel} standing={standing} holder={holder} words={words} signed={signed} done={read} />
      <Unsent sending={signed.sending} isOver={standing.moment === 'over'} />
      <Facts parcel={parcel} />
      {holder && 'signer' in holder && <Pieces parcel={parcel} signer={holder.signer} />}
    </Page>
  );
}

function Page({ title, children }: { title: string; children: ComponentChildren }) {
  useEffect(() => {
    document.title = `${title} · Legwork`;
  }, [title]);
  const [other, name] = otherLanguage();
  return (
    <main>
      <h1>{title}</h1>
      {children}
      <button type="button" class="second" lang={other} onClick={() => choose(other)}>
        {name}
      </button>
    </main>
  );
}

interface ActProps {
  readonly parcel: Parcel;
  readonly standing: Standing;
  readonly holder: Holder;
  readonly words: string;
  readonly signed: Signed;
  readonly done: () => Promise<void>;
}

/** What there is to do, for who has the words. */
function Act({ parcel, standing: { moment }, holder, words, signed, done }: ActProps) {
  if (moment === 'over' || moment === 'disputed') return null;
  if (holder === undefined) return <p>{t('Reading the words of your link. This takes a second.')}</p>;
  if ('lacks' in holder) return <p class="notice">{holder.lacks}</p>;
  if (moment === 'waiting') {
    return (
      <p class="notice">
        {t('There is nothing to sign yet. Keep this link: at the door it shows the code that pays the courier.')}
      </p>
    );
  }
  return <Door parcel={parcel} holder={holder} words={words} signed={signed} done={done} />;
}

function Facts({ parcel }: { parcel: Parcel }) {
  const legs = parcel.swarm?.legs ?? [];
  return (
    <section aria-label={t('Route')}>
      <Sketch parcel={parcel} />
      <dl>
        <dt>{t('Parcel')}</dt>
        <dd>{parcel.description}</dd>
        <dt>{t('Deadline')}</dt>
        <dd>{timeOf(parcel.deadline)}</dd>
      </dl>
      {legs.length > 0 && (
        <ol class="legs">
          {legs.map((leg) => (
            <li key={leg.id} data-done={leg.status === 'completed'}>
              <span>{t('Courier {number}', { number: leg.legIndex + 1 })}</span> <span>{legWord(leg)}</span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
