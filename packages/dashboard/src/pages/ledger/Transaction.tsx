import { SOL } from '@legwork/sdk';
import { failureOf } from '../../checks/failure.js';
import { type LookupMatch, pagePath } from '@legwork/protocol/contract';
import { Link, useParams } from 'wouter';
import { useRead } from '../../data/service.js';
import styles from './ledger.module.css';
import { useQuery } from '@tanstack/react-query';
import type { LedgerTransaction } from '../../checks/ledgerTransaction.js';
import { readFinality, readTransaction } from '../../data/ledger.js';
import { Amount } from '../../ui/Amount.js';
import { Heading } from '../../ui/Heading.js';
import { Key } from '../../ui/Key.js';
import { Loaded } from '../../ui/Loaded.js';
import { Empty, Facts, Panel } from '../../ui/Panel.js';
import { Status } from '../../ui/Status.js';
import { Time } from '../../ui/Time.js';
import { Balances } from './Balances.js';
import { ExplorerLink } from './ExplorerLink.js';
import { Instructions } from './Instructions.js';

const FIELDS: Readonly<Record<LookupMatch['field'], string>> = {
  id: '',
  signature: '',
  agentPubkey: '',
  onChainPackage: 'Account of ',
  onChainVault: 'Vault of ',
  onChainSwarm: 'Chain of couriers of ',
  onChainLeg: 'Leg of ',
  onChainTask: 'Account of ',
  onChainPDA: 'Reputation of ',
};

/** What a signature or an address is about here, by the service's word. @param text what is looked up */
export function About({ text }: { text: string }) {
  const { data, error } = useRead('lookup', { text });
  if (error) return <span className={styles.dim}>The service did not answer</span>;
  if (data === undefined) return <span className={styles.dim}>…</span>;
  if (data.matches.length === 0) return <span className={styles.dim}>Nothing this service knows</span>;
  return (
    <ul className={styles.about}>
      {data.matches.map((match) => (
        <li key={`${match.kind} ${match.id} ${match.field}`}>
          {FIELDS[match.field]}
          <Subject of={match} />
        </li>
      ))}
    </ul>
  );
}

function Subject({ of: { kind, id, packageId, taskId, title } }: { of: LookupMatch }) {
  if (packageId !== null) return <Link href={pagePath('package', packageId)}>{`package “${title ?? packageId}”`}</Link>;
  if (taskId !== null) return <Link href={pagePath('task', taskId)}>{`digital task “${title ?? taskId}”`}</Link>;
  if (kind === 'agent') return <Link href={pagePath('agent', id)}>{`agent ${title ?? id}`}</Link>;
  return <>{title ?? 'No single package or task'}</>;
}

/** Nothing changes about a transaction, once it is final. */
const ASK_AGAIN_MS = 3_000;

/** A transaction as the ledger shows it to this browser. */
export default function Transaction() {
  const { signature = '' } = useParams();
  const query = useQuery({
    queryKey: ['ledgerTransaction', signature],
    queryFn: async () => (await readTransaction(signature)) ?? null,
    retry: false,
  });
  return (
    <>
      <Heading title="Transaction" beside={query.data && <State of={query.data} />} />
      <div className={styles.page}>
        <Loaded query={query} rows={6}>
          {(transaction) => (transaction === null ? <Unknown signature={signature} /> : <Whole of={transaction} />)}
        </Loaded>
      </div>
    </>
  );
}

function Unknown({ signature }: { signature: string }) {
  return (
    <Panel title="Not on the ledger">
      <Empty>
        <p>
          The ledger shows no transaction with this signature. It may never have landed, or it is too old for this node.
        </p>
        <Key value={signature} />
      </Empty>
    </Panel>
  );
}

/** Whether it took effect, and how sure that is. */
function State({ of: { signature, error } }: { of: LedgerTransaction }) {
  const { data: finality } = useQuery({
    queryKey: ['ledgerFinality', signature],
    queryFn: async () => (await readFinality(signature)) ?? null,
    refetchInterval: ({ state }) => (state.data === 'finalized' || state.error ? false : ASK_AGAIN_MS),
    retry: false,
  });
  if (error !== undefined) return <Status of="failed" />;
  return finality === 'finalized' ? (
    <Status of="completed" word="Final" />
  ) : (
    <Status of="in_progress" word="Confirmed, not final yet" />
  );
}

function Whole({ of: transaction }: { of: LedgerTransaction }) {
  const { signature, slot, at, feeLamports, error, signers, log } = transaction;
  return (
    <>
      <Panel title="Summary" beside={<ExplorerLink kind="tx" value={signature} />}>
        <Facts
          of={[
            ['Signature', <Key key="signature" value={signature} isWhole />],
            ...(error === undefined ? [] : [['Failed with', <Failure key="error" of={error} />] as const]),
            ['About', <About key="about" text={signature} />],
            ['Slot', String(slot)],
            ['Time', at === undefined ? 'not given by the node' : <Time key="time" at={at} />],
            ['Fee', <Amount isExact key="fee" of={SOL} amount={feeLamports} />],
            ['Signed by', <Signers key="signers" of={signers} />],
          ]}
        />
      </Panel>
      <Instructions of={transaction} />
      <Balances of={transaction} />
      <Panel title="Log">
        <details>
          <summary>{log.length === 1 ? '1 line' : `${log.length} lines`}</summary>
          <pre className={styles.log} tabIndex={0}>
            {log.join('\n')}
          </pre>
        </details>
      </Panel>
    </>
  );
}

function Signers({ of: signers }: { of: readonly string[] }) {
  return (
    <ul className={styles.signers}>
      {signers.map((signer) => (
        <li key={signer}>
          <Key value={signer} page="account" /> <span className={styles.good}>✓ Signature verified here</span>
        </li>
      ))}
    </ul>
  );
}

function Failure({ of: error }: { of: unknown }) {
  return <span className={styles.wrong}>{failureOf(error)}</span>;
}
