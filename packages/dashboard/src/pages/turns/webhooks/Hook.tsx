import type { WebhookView } from '@legwork/protocol/contract';
import { type ReactNode, useState } from 'react';
import { CopyButton } from '../../../ui/Key.js';
import { Facts } from '../../../ui/Panel.js';
import { Distance, Time } from '../../../ui/Time.js';
import { Action, Told } from '../../../wallet/Connect.js';
import form from '../../../wallet/form.module.css';
import { Labelled } from '../../../wallet/Labelled.js';
import { actingFor, type Session } from '../../../wallet/session.js';
import { useDoing } from '../../../wallet/useDoing.js';
import { AskedBack } from '../../../wallet/AskedBack.js';
import styles from '../turns.module.css';
import { filterWords, SIGNING } from './draft.js';
import { locale, m, rich, t } from '../../../language.js';

interface Props {
  readonly hook: WebhookView;
  readonly session: Session;
  /** @param next undefined: it is gone */
  readonly change: (id: string, next: WebhookView | undefined) => void;
}

/** One webhook: how it fares, and what its owner can do about it. */
export function Hook({ hook, session, change }: Props) {
  const { id: webhookId, url, filter, deliveredAt, ackedSeq } = hook;
  const doing = useDoing();
  const [secret, setSecret] = useState<string>();
  const { client } = actingFor(session);
  const sign = (act: () => Promise<string | void>) => () => doing.run(t(SIGNING), act);
  const test = async () => {
    const { delivered, status, error } = await client.testWebhook({ webhookId });
    if (!delivered) throw new Error(t('The test did not arrive: the receiver {error}.', { error: String(error) }));
    return t('The receiver took the test, and answered {status}.', { status: String(status) });
  };
  const rotate = async () => {
    const rotated = await client.rotateWebhookSecret({ webhookId });
    setSecret(rotated.secret);
    return t('Deliveries are also signed with the old secret until {time}.', {
      time: rotated.formerUntil.toLocaleString(locale),
    });
  };
  const end = async () => {
    await client.deleteWebhook({ webhookId });
    change(webhookId, undefined);
  };
  return (
    <section className={styles.hook} aria-label={url}>
      <Facts
        of={[
          [t('Address'), url],
          [t('Events'), filterWords(filter)],
          [t('State'), <State key="state" hook={hook} />],
          [t('Last delivery'), deliveredAt ? <Time key="at" at={deliveredAt} /> : t('none yet')],
          [t('Delivered up to event'), `${ackedSeq}`],
        ]}
      />
      <div className={form.buttons}>
        <Action doing={doing} onPress={sign(test)}>
          {t('Send a test')}
        </Action>
        <AskedBack label={t('New secret')} doing={doing} question={{ says: t(ROTATES) }} onMake={sign(rotate)} />
        <AskedBack label={t('Delete')} doing={doing} question={{ says: t(ENDS) }} onMake={sign(end)} />
      </div>
      <Again hook={hook} deliver={(since) => client.redeliverWebhook({ webhookId, since })} change={change} />
      <Told doing={doing} />
      <div role="status">{secret !== undefined && <NewSecret secret={secret} />}</div>
    </section>
  );
}

function NewSecret({ secret }: { secret: string }) {
  return (
    <div className={form.notice}>
      <p>
        {t('New secret, shown only once')} <CopyButton value={secret} label={t('Copy the secret')} />
      </p>
      <p className={styles.link}>
        <code>{secret}</code>
      </p>
    </div>
  );
}

const ROTATES = m('This makes a new secret. For a day, deliveries are signed with both.');
const ENDS = m('The service stops posting to this address.');

function State({ hook: { status, disabledAt, failingSince, nextTryAt, lastError } }: Pick<Props, 'hook'>) {
  if (status === 'active') return t('active');
  const since = disabledAt ?? failingSince;
  return (
    <span className={form.problem}>
      {rich<ReactNode>(
        '{status, select, failing {failing} other {disabled}}{hasBegun, select, true { since {since}} other {}}{isKnown, select, true {: the receiver {error}} other {}}{goesOn, select, true {; tried again {next}} other {}}',
        {
          status,
          hasBegun: String(since !== null),
          since: since && <Time at={since} />,
          isKnown: String(lastError !== null),
          error: lastError,
          goesOn: String(nextTryAt !== null),
          next: nextTryAt && <Distance to={nextTryAt} />,
        },
      )}
    </span>
  );
}

interface AgainProps extends Pick<Props, 'hook' | 'change'> {
  readonly deliver: (since: number) => Promise<WebhookView>;
}

/** Sends once more what came behind an event, or goes on with one that is disabled. */
function Again({ hook: { id, ackedSeq, status }, deliver, change }: AgainProps) {
  const doing = useDoing();
  const [typed, setTyped] = useState(`${ackedSeq}`);
  const [fault, setFault] = useState<string>();
  const act = async () => {
    change(id, await deliver(Number(typed)));
    return status === 'disabled' ? t('It is active again.') : t('Delivering again.');
  };
  return (
    <form
      className={form.buttons}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const isSeq = /^\d{1,15}$/.test(typed);
        setFault(isSeq ? undefined : t('Enter an event number from 0, which is before the first event.'));
        if (isSeq) doing.run(t(SIGNING), act);
      }}
    >
      <Labelled label={t('Deliver again everything after event')} fault={fault}>
        {(aria) => (
          <input
            {...aria}
            value={typed}
            inputMode="numeric"
            autoComplete="off"
            onChange={({ target }) => setTyped(target.value.trim())}
          />
        )}
      </Labelled>
      <Action doing={doing}>{t('Deliver again')}</Action>
      <Told doing={doing} />
    </form>
  );
}
