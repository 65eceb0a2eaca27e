import { SOL } from '@legwork/sdk';
import type { ComponentProps } from 'react';
import { Amount } from '../../ui/Amount.js';
import { Key } from '../../ui/Key.js';
import { Empty, Facts, Panel } from '../../ui/Panel.js';
import { spanOf } from '../../ui/spanOf.js';
import { Status } from '../../ui/Status.js';
import { type Column, Table } from '../../ui/Table.js';
import { Distance, Time } from '../../ui/Time.js';
import type { Operations } from './Ops.js';
import styles from './Ops.module.css';
import { figureIn, locale, m, type Message, rich, t } from '../../language.js';

/** How a part of the service is: by word, hue and shape. */
type Health = 'works' | 'waits' | 'look';

const HEALTH = {
  works: ['completed', m('Works')],
  waits: ['listed', m('Waits')],
  look: ['failed', m('Look')],
} as const;

interface PartProps {
  readonly name: string;
  readonly health: Health;
  readonly facts: ComponentProps<typeof Facts>['of'];
}

function Part({ name, health, facts }: PartProps) {
  const [look, word] = HEALTH[health];
  return (
    <Panel title={name} beside={<Status of={look} word={t(word)} />}>
      <Facts of={facts} />
    </Panel>
  );
}

/** How every part of the service stands. Rule S-260. */
export function State({ of }: { of: Operations }) {
  const parts = [serviceOf(of), databaseOf(of), ledgerOf(of), coordinatorOf(of), toldOf(of), filesOf(of), keysOf(of)];
  return (
    <>
      <div className={styles.parts}>
        {parts.map((part) => (
          <Part key={part.name} {...part} />
        ))}
        <Budgets of={of} />
      </div>
      <Panel title={t('Left to do on the ledger')}>
        {of.intents.length === 0 ? (
          <Empty>{t('The coordinator has nothing to do.')}</Empty>
        ) : (
          <Table
            caption={t('By kind')}
            columns={intents()}
            rows={of.intents}
            keyOf={({ kind, status }) => kind + status}
          />
        )}
      </Panel>
    </>
  );
}

const INTENT_STATES: Readonly<Record<string, Message>> = {
  pending: m('to be signed'),
  sent: m('sent'),
  failed: m('given up'),
};

const intents = (): readonly Column<Operations['intents'][number]>[] => [
  { name: t('What'), show: ({ kind }) => kind, isFirst: true },
  { name: t('State'), show: ({ status }) => t(INTENT_STATES[status] ?? status) },
  {
    name: t('Count'),
    show: ({ intents: count, oldestSec }) =>
      t('{count}, the oldest for {span}', { count, span: spanOf(Math.round(oldestSec)) }),
  },
  { name: t('Last error'), show: ({ lastError }) => <span className={styles.long}>{lastError ?? t('none')}</span> },
];

function serviceOf({ service, version, rebuilt }: Operations): PartProps {
  return {
    name: t('Service'),
    health: rebuilt ? 'works' : 'waits',
    facts: [
      [t('Version'), version],
      [t('Replicas'), service.replicas],
      [t('Running since'), <Time key="since" at={service.startedAt} />],
      [
        t('Rate limited'),
        t('{count, plural, one {# request} other {# requests}} since then', { count: service.refused }),
      ],
      [t('Failed'), t('{count, plural, one {# request} other {# requests}} since then', { count: service.failed })],
      [t('Listings'), rebuilt ? t('all on the ledger are here') : t('are being rebuilt from the ledger')],
    ],
  };
}

function databaseOf({ database }: Operations): PartProps {
  const { bytes, connections, mostConnections, waiting } = database;
  return {
    name: t('Database'),
    health: waiting > 0 ? 'waits' : 'works',
    facts: [
      [t('Size'), sizeOf(bytes)],
      [t('Connections'), t('{count} of {most}', { count: connections, most: mostConnections })],
      [t('Waiting'), t('{count, plural, one {# query} other {# queries}}', { count: waiting })],
    ],
  };
}

function ledgerOf({ ledger, mirroredAt }: Operations): PartProps {
  const { slot, behindSec, slotsBehind, notFinal, halted } = ledger;
  const isWell = slot !== null && slotsBehind === 0 && halted === 0;
  return {
    name: t('Ledger'),
    health: isWell ? 'works' : 'look',
    facts: [
      [t('Slot'), slot === null ? t('does not answer') : slot.toLocaleString(locale)],
      [t('Clock'), behindSec === null ? t('not known') : lagOf(behindSec)],
      [t('Behind'), t('{count, plural, one {# slot} other {# slots}}', { count: slotsBehind })],
      [t('Last mirrored'), mirroredAt === null ? t('not yet') : <Distance key="at" to={mirroredAt} />],
      [t('Not final'), t('{count, plural, one {# transaction} other {# transactions}}', { count: notFinal })],
      [t('Halted'), t('{count, plural, one {# listing} other {# listings}}', { count: halted })],
    ],
  };
}

const lagOf = (sec: number) =>
  sec < 0
    ? t('{span} ahead of the service', { span: spanOf(-sec) })
    : t('{span} behind the service', { span: spanOf(sec) });

const figure = (of: number) => of.toLocaleString(locale, { maximumFractionDigits: 1 });

function coordinatorOf({ coordinator }: Operations): PartProps {
  const { pubkey, balanceLamports, reserveLamports, promisedLamports, advancedLamports, dayLamports } = coordinator;
  const free = balanceLamports === null ? undefined : balanceLamports - reserveLamports - promisedLamports;
  const days = free !== undefined && dayLamports > 0n ? Number(free) / Number(dayLamports) : undefined;
  const sol = (amount: bigint) => <Amount amount={amount} of={SOL} />;
  return {
    name: t('Coordinator'),
    health: balanceLamports === null ? 'waits' : balanceLamports < reserveLamports ? 'look' : 'works',
    facts: [
      [t('Key'), <Key key="key" value={pubkey} page="account" />],
      [t('Balance'), balanceLamports === null ? t('not known') : sol(balanceLamports)],
      [t('Reserve'), sol(reserveLamports)],
      [t('Promised'), sol(promisedLamports)],
      [t('Advanced'), sol(advancedLamports)],
      [t('24 h, at most'), sol(dayLamports)],
      [
        t('Funds last'),
        days === undefined
          ? t('nothing was spent')
          : t('{days} days at that rate', { days: figure(Math.max(0, days)) }),
      ],
    ],
  };
}

function toldOf({ unnumberedEvents, webhooks, attention }: Operations): PartProps {
  const isLate = attention.some(({ of }) => of === 'events');
  const isWell = webhooks.failing + webhooks.disabled === 0;
  return {
    name: t('Events and webhooks'),
    health: isLate ? 'look' : isWell ? 'works' : 'waits',
    facts: [
      [t('Unnumbered'), t('{count, plural, one {# event} other {# events}}', { count: unnumberedEvents })],
      [t('Webhooks'), t('{count} active', { count: webhooks.active })],
      [t('Failing'), webhooks.failing],
      [t('Disabled'), webhooks.disabled],
    ],
  };
}

function filesOf({ files }: Operations): PartProps {
  const { stored, bytes, freeBytes, reserveBytes } = files;
  return {
    name: t('Files of results'),
    health: freeBytes !== null && freeBytes < reserveBytes ? 'look' : 'works',
    facts: [
      [t('Stored'), t('{count, plural, one {# file} other {# files}}, {size}', { count: stored, size: sizeOf(bytes) })],
      [t('Free'), freeBytes === null ? t('not on a disk here') : sizeOf(freeBytes)],
      [t('Reserved'), sizeOf(reserveBytes)],
    ],
  };
}

function keysOf({ issuers, audited }: Operations): PartProps {
  const signing = issuers.find(({ until }) => until === null);
  return {
    name: t('Keys and audit'),
    health: audited !== null && audited.differences > 0 ? 'look' : signing ? 'works' : 'waits',
    facts: [
      [t('Signing key'), signing ? <Key key="key" value={signing.pubkey} /> : t('no key yet')],
      [t('Since'), signing ? <Time key="since" at={signing.since} /> : t('never')],
      [t('Former keys'), issuers.length - (signing ? 1 : 0)],
      [t('Last audit'), audited === null ? t('None told. Run legwork ops audit.') : auditOf(audited)],
    ],
  };
}

const auditOf = ({ at, differences }: NonNullable<Operations['audited']>) =>
  rich('{when}, {differences, plural, =0 {no differences} one {# difference} other {# differences}}', {
    when: <Distance to={at} />,
    differences,
  });

const BUDGETS: readonly (readonly [keyof Operations['budgets'], Message])[] = [
  ['newcomers', m('Newcomers’ accounts')],
  ['listings', m('Sponsored listings')],
  ['outstanding', m('Sponsored, not back')],
  ['fees', m('Fees for others')],
];

/** What is left of what the coordinator may spend on others in 24 hours; of what is not back, at any time. */
function Budgets({ of: { budgets } }: { of: Operations }) {
  const rows = BUDGETS.map(([name, title]) => {
    const label = t(title);
    const { mostLamports, usedLamports } = budgets[name];
    const left = mostLamports > usedLamports ? mostLamports - usedLamports : 0n;
    return [
      label,
      <span key={name} className={styles.budget}>
        <meter
          min={0}
          max={Number(mostLamports) || 1}
          value={Number(left)}
          aria-label={t('{label}: what is left', { label })}
          title={t('{amount} SOL used', { amount: figureIn(usedLamports) })}
        />
        <span>
          {rich('{left} left of {most}', { left: <Amount amount={left} of={SOL} />, most: figureIn(mostLamports) })}
        </span>
      </span>,
    ] as const;
  });
  const isEmpty = BUDGETS.some(
    ([name]) => budgets[name].mostLamports > 0n && budgets[name].usedLamports >= budgets[name].mostLamports,
  );
  return <Part name={t('Budgets of 24 hours')} health={isEmpty ? 'waits' : 'works'} facts={rows} />;
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** `1.4 GiB`. */
function sizeOf(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  const size = figure(bytes / 1024 ** power);
  return power === 0 ? t('{size} bytes', { size }) : `${size} ${UNITS[power]}`;
}
