/** @jsxImportSource preact */
import { amountIn, t } from '../language.js';
import { Sketch } from '../track/Sketch.js';
import { shortened } from '../ui/shortened.js';
import { assetOf, isTask, type Listing, paysFor } from './listing.js';
import { actorOf, finalityOf, legWordOf, sentenceOf, statusOf, timeOf } from './words.js';

/** What the card knows. */
export interface Known {
  readonly listing?: Listing;
  /** When the host handed it over. */
  readonly readAt?: Date;
  /** What went wrong since. */
  readonly problem?: string | undefined;
  readonly isReading?: boolean;
  /** The page that checks it, where the host does not open it: to be copied. */
  readonly address?: string | undefined;
}

/** What the host lets it ask for; undefined: not that. */
export interface Acts {
  readonly again?: (() => void) | undefined;
  readonly check?: (() => void) | undefined;
}

/** A package or a task in a chat: where it stands, whose turn it is, and what is in escrow. It pays nothing. Rule S-274. */
export function Card({ known, acts }: { known: Known; acts: Acts }) {
  const { listing, problem } = known;
  return (
    <>
      {listing ? <Shown listing={listing} /> : !problem && <p role="status">{t('One moment.')}</p>}
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {listing && <Check known={known} acts={acts} />}
    </>
  );
}

function Shown({ listing }: { listing: Listing }) {
  const { given, turn } = listing;
  const title = isTask(given) ? given.title : given.description;
  return (
    <>
      <header>
        <h1 dir="auto">{title}</h1>
        <p class="status" data-status={given.status}>
          {statusOf(listing)}
        </p>
      </header>
      {!isTask(given) && <Sketch parcel={given} />}
      <p class="turn" role="status">
        {sentenceOf(listing)}
        {turn && turn.action !== 'crank' && (
          <span class="dim"> {t('If nothing happens, {silence}.', { silence: t(turn.silence) })}</span>
        )}
      </p>
      <Facts listing={listing} />
      <Legs listing={listing} />
    </>
  );
}

function Facts({ listing }: { listing: Listing }) {
  const { turn, held, given } = listing;
  const of = assetOf(listing);
  const [budget, stakes] = [amountIn(held.budget, of), amountIn(held.stakes, of)];
  return (
    <dl>
      {turn && (
        <>
          <dt>{t('Turn')}</dt>
          <dd>{actorOf(listing)}</dd>
        </>
      )}
      {turn?.until && (
        <>
          <dt>{t('Until')}</dt>
          <dd>{timeOf(turn.until)}</dd>
        </>
      )}
      <dt>{t('In escrow')}</dt>
      <dd>{held.stakes > 0n ? t('{budget}, and {stakes} of stakes', { budget, stakes }) : budget}</dd>
      <dt>{t('Deadline')}</dt>
      <dd>{timeOf(new Date(given.deadline))}</dd>
      <dt>{t('On the ledger')}</dt>
      <dd>{finalityOf(listing)}</dd>
    </dl>
  );
}

function Legs({ listing }: { listing: Listing }) {
  const { legs, turn } = listing;
  if (legs.length === 0) return null;
  return (
    <ol class="legs">
      {legs.map((leg, index) => (
        <li key={leg.id} data-now={turn?.legIndex === index}>
          <span>
            {t('Leg {number}', { number: index + 1 })}
            {leg.agentPubkey && <code> {shortened(leg.agentPubkey)}</code>}
            {'instruction' in leg && (
              <span class="dim instruction" dir="auto">
                {leg.instruction}
              </span>
            )}
          </span>
          <span>
            {legWordOf(listing, index)}
            <span class="dim"> {amountIn(paysFor(listing, leg), assetOf(listing))}</span>
          </span>
        </li>
      ))}
    </ol>
  );
}

function Check({ known: { readAt, isReading, address }, acts: { again, check } }: { known: Known; acts: Acts }) {
  return (
    <footer>
      <p class="dim">
        {readAt && t('As the service said at {time}.', { time: timeOf(readAt) })}{' '}
        {t('Its page compares every amount with the ledger in your browser.')}
      </p>
      {check && (
        <button type="button" onClick={check}>
          {t('Check on the ledger')}
        </button>
      )}
      {again && (
        <button type="button" class="second" onClick={again}>
          {isReading ? t('Reading…') : t('Read again')}
        </button>
      )}
      {address && <code class="address">{address}</code>}
    </footer>
  );
}
