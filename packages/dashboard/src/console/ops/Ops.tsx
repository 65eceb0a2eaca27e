import { LegworkApiError, type LegworkClient } from '@legwork/sdk';
import { useQuery } from '@tanstack/react-query';
import { service } from '../../data/service.js';
import { shell } from '../../data/shell.js';
import { Heading } from '../../ui/Heading.js';
import { Loaded } from '../../ui/Loaded.js';
import { Time } from '../../ui/Time.js';
import form from '../../wallet/form.module.css';
import { faultOf } from '../../data/faultWords.js';
import { Acts } from './Acts.js';
import { Attention } from './Attention.js';
import styles from './Ops.module.css';
import { Pause } from './Pause.js';
import { leave, type Opened, useOpened } from './session.js';
import { SignIn } from './SignIn.js';
import { State } from './State.js';
import { rich, t } from '../../language.js';

/** How often is looked how the service stands, milliseconds. */
const LOOK_EVERY_MS = 5_000;

export type Operations = Awaited<ReturnType<LegworkClient['getOperations']>>;

/** The console of those who operate the service: how it stands, what needs attention, and who had what done. Rules S-260 to S-263. */
export default function Ops() {
  const opened = useOpened();
  const isAsked = opened !== undefined || shell?.operationsPublic === true;
  const query = useQuery({
    queryKey: ['operations', opened?.key],
    queryFn: () => (opened?.client ?? service).getOperations(),
    enabled: isAsked,
    refetchInterval: LOOK_EVERY_MS,
    staleTime: 0,
    retry: false,
  });
  const { data, error } = query;
  if (!isAsked || isClosed(error)) return <Closed error={error} opened={opened} />;
  const look = () => void query.refetch();
  return (
    <>
      <Heading title={t('Operations')} beside={opened && data?.openUntil && <Leave until={data.openUntil} />} />
      {data && error && <Silent error={error} at={query.dataUpdatedAt} />}
      <Loaded query={query} rows={6}>
        {(stands) => (
          <div className={styles.page} data-stale={error !== null}>
            <Attention of={stands.attention} opened={opened} look={look} />
            <State of={stands} />
            <Acts opened={opened} />
            {opened ? <Pause isPaused={stands.ledger.paused} look={look} /> : <SignIn refusal={undefined} />}
          </div>
        )}
      </Loaded>
    </>
  );
}

/** Who asks is nobody whom the service answers. */
const isClosed = (error: unknown): error is LegworkApiError =>
  error instanceof LegworkApiError && ['signature_required', 'operators_only'].includes(error.code);

function Closed({ error, opened }: { error: Error | null; opened: Opened | undefined }) {
  return (
    <>
      <Heading title={t('Operations')} beside={opened && <Leave until={undefined} />} />
      <div className={styles.page}>
        <SignIn refusal={opened && `${t('This key is not open, or no longer.')} ${faultOf(error, '')}`} />
      </div>
    </>
  );
}

function Leave({ until }: { until: Date | undefined }) {
  return (
    <span className={styles.beside}>
      {until && <span>{rich('Open until {time}', { time: <Time at={until} /> })}</span>}
      <button type="button" className={form.button} onClick={leave}>
        {t('Leave')}
      </button>
    </span>
  );
}

/** What is shown stays, with how old it is and what does not answer. */
function Silent({ error, at }: { error: unknown; at: number }) {
  const ready = useQuery({
    queryKey: ['readiness'],
    queryFn: () => service.getReadiness(),
    refetchInterval: LOOK_EVERY_MS,
    staleTime: 0,
    retry: false,
  });
  return (
    <div role="alert" className={styles.silent}>
      <p>
        {[
          ...new Set([
            faultOf(error, t('The service does not say how it stands.')),
            ready.error ? faultOf(ready.error, '') : '',
          ]),
        ].join(' ')}
      </p>
      <p>
        {rich('Everything below is from {time}. This page tries again by itself.', {
          time: <Time at={new Date(at)} />,
        })}
      </p>
    </div>
  );
}
