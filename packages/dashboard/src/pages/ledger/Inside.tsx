import { programCalls, readProgramLog, type ProgramCall, type TransactionTrace } from '@legwork/program-client/history';
import { useQuery } from '@tanstack/react-query';
import { failureOf } from '../../checks/failure.js';
import { programName } from '../../checks/instructionWords.js';
import type { LedgerTransaction } from '../../checks/ledgerTransaction.js';
import { readTrace } from '../../data/ledger.js';
import { locale, t } from '../../language.js';
import { Key } from '../../ui/Key.js';
import { Facts, Panel } from '../../ui/Panel.js';
import { type Column, Table } from '../../ui/Table.js';
import { shortened } from '../../ui/shortened.js';
import styles from './ledger.module.css';

const figure = (units: bigint): string => units.toLocaleString(locale);

/** Characters of a value. */
const MAX_SHOWN = 96;

type Named = (program: string) => string;

/** What each program is called on this page. */
function namesOf({ instructions }: LedgerTransaction): Named {
  const relay = instructions.find((one) => one.relay !== undefined)?.program;
  return (program) => (program === relay ? t('the relay program') : (programName(program) ?? shortened(program)));
}

function callsOf({ instructions }: LedgerTransaction, log: readonly string[]): ProgramCall[] {
  const outer = instructions.filter(({ depth }) => depth === 1).map(({ program }) => program);
  return programCalls(readProgramLog(log), outer);
}

/** What its programs did: the units that they used, how accounts changed, their log and, if it failed, how it runs again. */
export function Inside({ of: transaction }: { of: LedgerTransaction }) {
  const { signature, error, log } = transaction;
  const { data: trace } = useQuery({
    queryKey: ['ledgerTrace', signature],
    queryFn: async () => (await readTrace(signature)) ?? null,
    retry: false,
  });
  const name = namesOf(transaction);
  return (
    <>
      <Units calls={callsOf(transaction, log)} name={name} />
      {trace?.changes !== undefined && trace.changes.length > 0 && <Changes of={trace.changes} />}
      <Panel title={t('Log')}>
        <details>
          <summary>{t('{count, plural, one {# line} other {# lines}}', { count: log.length })}</summary>
          <Log of={log} name={name} />
        </details>
      </Panel>
      {error !== undefined && trace !== undefined && <Again of={transaction} trace={trace ?? undefined} name={name} />}
    </>
  );
}

function Units({ calls, name }: { calls: readonly ProgramCall[]; name: Named }) {
  const told = calls.map((call, at) => ({ ...call, at })).filter(({ units }) => units !== undefined);
  if (told.length === 0) return null;
  const columns: Column<(typeof told)[number]>[] = [
    {
      name: t('Program'),
      isFirst: true,
      show: ({ program, depth, instruction }) => (
        <span className={styles.call} data-depth={Math.min(depth, 4)}>
          {depth === 0 && instruction !== undefined && `${instruction + 1}. `}
          {name(program)}
        </span>
      ),
    },
    { name: t('By itself'), isFigure: true, isWide: true, show: ({ own }) => figure(own ?? 0n) },
    { name: t('Compute units'), isFigure: true, show: ({ units }) => figure(units ?? 0n) },
  ];
  return (
    <Panel title={t('Compute units')}>
      <Table
        caption={t('Compute units by call of a program')}
        columns={columns}
        rows={told}
        keyOf={({ at }) => String(at)}
      />
    </Panel>
  );
}

/** What a transaction changed in accounts other than what they hold. */
function Changes({ of: changes }: { of: NonNullable<TransactionTrace['changes']> }) {
  return (
    <Panel title={t('Changed accounts')}>
      {changes.map(({ account, fields, bytes }) => (
        <div key={account} className={styles.change}>
          <h3>
            <Key value={account} page="account" />
          </h3>
          <Facts
            of={[
              ...fields.map(
                (one) => [one.name, <Change key={one.name} before={one.before} after={one.after} />] as const,
              ),
              ...bytes.map(({ offset, before, after }) => {
                const name = t('byte {offset}', { offset });
                return [name, <Change key={name} before={before} after={after} />] as const;
              }),
            ]}
          />
        </div>
      ))}
    </Panel>
  );
}

/** A page that shows how an account is now has the rest. */
const cut = (text = ''): string => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);

function Change({ before, after }: { before: string | undefined; after: string | undefined }) {
  return (
    <span className={styles.bytes}>
      {cut(before) || t('nothing')} → {cut(after) || t('nothing')}
    </span>
  );
}

/** The log as a tree: what was said while a program ran stands set in below it. */
function Log({ of: log, name }: { of: readonly string[]; name: Named }) {
  return (
    <ol className={styles.tree} tabIndex={0}>
      {readProgramLog(log).map((line, at) => (
        <li key={at} data-depth={Math.min(line.depth, 4)}>
          {line.kind === 'call' && <strong>{name(line.program)}</strong>}
          {line.kind === 'end' && <End units={line.units} failure={line.failure} />}
          {line.kind === 'said' && line.text.replace(/^Program log: /, '')}
        </li>
      ))}
    </ol>
  );
}

function End({ units, failure }: Pick<ProgramCall, 'units' | 'failure'>) {
  const used = units !== undefined && ` · ${t('{count} units', { count: figure(units) })}`;
  return (
    <span className={failure === undefined ? styles.good : styles.wrong}>
      {failure ?? t('done')}
      {used}
    </span>
  );
}

interface AgainProps {
  readonly of: LedgerTransaction;
  readonly trace: TransactionTrace | undefined;
  readonly name: Named;
}

/** One that failed, run again on the accounts as they were before it. */
function Again({ of: transaction, trace, name }: AgainProps) {
  if (trace === undefined) return null;
  const { replay } = trace;
  const isSame = replay?.error && failureOf(replay.error) === failureOf(transaction.error);
  return (
    <Panel title={t('Run again')}>
      {replay === undefined ? (
        <p>{t('This ledger no longer knows what the accounts held before.')}</p>
      ) : (
        <>
          <p>
            {isSame
              ? t('On the accounts as they were before it, it fails the same way.')
              : t('On the accounts as they were before it, it ends otherwise now.')}
          </p>
          <Log of={replay.logs} name={name} />
        </>
      )}
    </Panel>
  );
}
