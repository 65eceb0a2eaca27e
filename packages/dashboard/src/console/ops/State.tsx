import { formatSol, SOL } from '@legwork/sdk';
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

/** How a part of the service is: by word, hue and shape. */
type Health = 'works' | 'waits' | 'look';

const HEALTH = {
  works: <Status of="completed" word="Works" />,
  waits: <Status of="listed" word="Waits" />,
  look: <Status of="failed" word="Look" />,
};

interface PartProps {
  readonly name: string;
  readonly health: Health;
  readonly facts: ComponentProps<typeof Facts>['of'];
}

function Part({ name, health, facts }: PartProps) {
  return (
    <Panel title={name} beside={HEALTH[health]}>
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
      <Panel title="Left to do on the ledger">
        {of.intents.length === 0 ? (
          <Empty>The coordinator has nothing to do.</Empty>
        ) : (
          <Table caption="By kind" columns={INTENTS} rows={of.intents} keyOf={({ kind, status }) => kind + status} />
        )}
      </Panel>
    </>
  );
}

const INTENT_STATES: Readonly<Record<string, string>> = { pending: 'to be signed', sent: 'sent', failed: 'given up' };

const INTENTS: readonly Column<Operations['intents'][number]>[] = [
  { name: 'What', show: ({ kind }) => kind, isFirst: true },
  { name: 'State', show: ({ status }) => INTENT_STATES[status] ?? status },
  {
    name: 'Count',
    show: ({ intents, oldestSec }) => `${intents}, the oldest for ${spanOf(Math.round(oldestSec))}`,
  },
  { name: 'Last error', show: ({ lastError }) => <span className={styles.long}>{lastError ?? 'none'}</span> },
];

function serviceOf({ service, version, rebuilt }: Operations): PartProps {
  return {
    name: 'Service',
    health: rebuilt ? 'works' : 'waits',
    facts: [
      ['Version', version],
      ['Replicas', service.replicas],
      ['Running since', <Time key="since" at={service.startedAt} />],
      ['Rate limited', `${count(service.refused, 'request')} since then`],
      ['Failed', `${count(service.failed, 'request')} since then`],
      ['Listings', rebuilt ? 'all on the ledger are here' : 'are being rebuilt from the ledger'],
    ],
  };
}

function databaseOf({ database }: Operations): PartProps {
  const { bytes, connections, mostConnections, waiting } = database;
  return {
    name: 'Database',
    health: waiting > 0 ? 'waits' : 'works',
    facts: [
      ['Size', sizeOf(bytes)],
      ['Connections', `${connections} of ${mostConnections}`],
      ['Waiting', count(waiting, 'query', 'queries')],
    ],
  };
}

function ledgerOf({ ledger, mirroredAt }: Operations): PartProps {
  const { slot, behindSec, slotsBehind, notFinal, halted } = ledger;
  const isWell = slot !== null && slotsBehind === 0 && halted === 0;
  return {
    name: 'Ledger',
    health: isWell ? 'works' : 'look',
    facts: [
      ['Slot', slot === null ? 'does not answer' : slot.toLocaleString()],
      ['Clock', behindSec === null ? 'not known' : lagOf(behindSec)],
      ['Behind', count(slotsBehind, 'slot')],
      ['Last mirrored', mirroredAt === null ? 'not yet' : <Distance key="at" to={mirroredAt} />],
      ['Not final', count(notFinal, 'transaction')],
      ['Halted', count(halted, 'listing')],
    ],
  };
}

const lagOf = (sec: number) => (sec < 0 ? `${spanOf(-sec)} ahead of the service` : `${spanOf(sec)} behind the service`);

const DAYS = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

function coordinatorOf({ coordinator }: Operations): PartProps {
  const { pubkey, balanceLamports, reserveLamports, promisedLamports, advancedLamports, dayLamports } = coordinator;
  const free = balanceLamports === null ? undefined : balanceLamports - reserveLamports - promisedLamports;
  const days = free !== undefined && dayLamports > 0n ? Number(free) / Number(dayLamports) : undefined;
  const sol = (amount: bigint) => <Amount amount={amount} of={SOL} />;
  return {
    name: 'Coordinator',
    health: balanceLamports === null ? 'waits' : balanceLamports < reserveLamports ? 'look' : 'works',
    facts: [
      ['Key', <Key key="key" value={pubkey} page="account" />],
      ['Balance', balanceLamports === null ? 'not known' : sol(balanceLamports)],
      ['Reserve', sol(reserveLamports)],
      ['Promised', sol(promisedLamports)],
      ['Advanced', sol(advancedLamports)],
      ['24 h, at most', sol(dayLamports)],
      ['Funds last', days === undefined ? 'nothing was spent' : `${DAYS.format(Math.max(0, days))} days at that rate`],
    ],
  };
}

function toldOf({ unnumberedEvents, webhooks, attention }: Operations): PartProps {
  const isLate = attention.some(({ of }) => of === 'events');
  const isWell = webhooks.failing + webhooks.disabled === 0;
  return {
    name: 'Events and webhooks',
    health: isLate ? 'look' : isWell ? 'works' : 'waits',
    facts: [
      ['Unnumbered', count(unnumberedEvents, 'event')],
      ['Webhooks', `${webhooks.active} active`],
      ['Failing', webhooks.failing],
      ['Disabled', webhooks.disabled],
    ],
  };
}

function filesOf({ files }: Operations): PartProps {
  const { stored, bytes, freeBytes, reserveBytes } = files;
  return {
    name: 'Files of results',
    health: freeBytes !== null && freeBytes < reserveBytes ? 'look' : 'works',
    facts: [
      ['Stored', `${count(stored, 'file')}, ${sizeOf(bytes)}`],
      ['Free', freeBytes === null ? 'not on a disk here' : sizeOf(freeBytes)],
      ['Reserved', sizeOf(reserveBytes)],
    ],
  };
}

function keysOf({ issuers }: Operations): PartProps {
  const signing = issuers.find(({ until }) => until === null);
  return {
    name: 'Keys and audit',
    health: signing ? 'works' : 'waits',
    facts: [
      ['Signing key', signing ? <Key key="key" value={signing.pubkey} /> : 'no key yet'],
      ['Since', signing ? <Time key="since" at={signing.since} /> : 'never'],
      ['Former keys', issuers.length - (signing ? 1 : 0)],
      ['Last audit', 'Not recorded here. Run legwork audit.'],
    ],
  };
}

const BUDGETS: readonly (readonly [keyof Operations['budgets'], string])[] = [
  ['newcomers', 'Newcomers’ accounts'],
  ['listings', 'Sponsored listings'],
  ['outstanding', 'Sponsored, not back'],
  ['fees', 'Fees for others'],
];

/** What is left of what the coordinator may spend on others in 24 hours; of what is not back, at any time. */
function Budgets({ of: { budgets } }: { of: Operations }) {
  const rows = BUDGETS.map(([name, label]) => {
    const { mostLamports, usedLamports } = budgets[name];
    const left = mostLamports > usedLamports ? mostLamports - usedLamports : 0n;
    return [
      label,
      <span key={name} className={styles.budget}>
        <meter
          min={0}
          max={Number(mostLamports) || 1}
          value={Number(left)}
          aria-label={`${label}: what is left`}
          title={`${formatSol(usedLamports)} SOL used`}
        />
        <span>
          <Amount amount={left} of={SOL} /> left of {formatSol(mostLamports)}
        </span>
      </span>,
    ] as const;
  });
  const isEmpty = BUDGETS.some(
    ([name]) => budgets[name].mostLamports > 0n && budgets[name].usedLamports >= budgets[name].mostLamports,
  );
  return <Part name="Budgets of 24 hours" health={isEmpty ? 'waits' : 'works'} facts={rows} />;
}

const count = (many: number, one: string, more = `${one}s`) => `${many.toLocaleString()} ${many === 1 ? one : more}`;

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** `1.4 GiB`. */
function sizeOf(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${DAYS.format(bytes / 1024 ** power)} ${UNITS[power]}`;
}
