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
import { Inside } from './Inside.js';
import { Instructions } from './Instructions.js';
import { m, type Message, rich, t } from '../../language.js';

const FIELDS: Readonly<Record<LookupMatch['field'], Message | undefined>> = {
  id: undefined,
  signature: undefined,
  agentPubkey: undefined,
  onChainPackage: m('Account of {subject}'),
  onChainVault: m('Vault of {subject}'),
  onChainSwarm: m('Chain of couriers of {subject}'),
  onChainLeg: m('Leg of {subject}'),
  onChainTask: m('Account of {subject}'),
  onChainPDA: m('Reputation of {subject}'),
};

/** What a signature or an address is about here, by the service's word. @param text what is looked up */
export function About({ text }: { text: string }) {
  const { data, error } = useRead('lookup', { text });
  if (error) return <span className={styles.dim}>{t('The service did not answer')}</span>;
  if (data === undefined) return <span className={styles.dim}>…</span>;
  if (data.matches.length === 0) return <span className={styles.dim}>{t('Nothing this service knows')}</span>;
  return (
    <ul className={styles.about}>
      {data.matches.map((match) => (
        <li key={`${match.kind} ${match.id} ${match.field}`}>
          <Match of={match} />
        </li>
      ))}
    </ul>
  );
}

function Match({ of }: { of: LookupMatch }) {
  const says = FIELDS[of.field];
  const subject = <Subject of={of} />;
  return says === undefined ? subject : rich(says, { subject });
}

function Subject({ of: { kind, id, packageId, taskId, title } }: { of: LookupMatch }) {
  if (packageId !== null)
    return <Link href={pagePath('package', packageId)}>{t('package “{title}”', { title: title ?? packageId })}</Link>;
  if (taskId !== null)
    return <Link href={pagePath('task', taskId)}>{t('digital task “{title}”', { title: title ?? taskId })}</Link>;
  if (kind === 'agent') return <Link href={pagePath('agent', id)}>{t('agent {name}', { name: title ?? id })}</Link>;
  return <>{title ?? t('No single package or task')}</>;
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
      <Heading title={t('Transaction')} beside={query.data && <State of={query.data} />} />
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
    <Panel title={t('Not on the ledger')}>
      <Empty>
        <p>
          {t(
            'The ledger shows no transaction with this signature. It may never have landed, or it is too old for this node.',
          )}
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
    <Status of="completed" word={t('Final')} />
  ) : (
    <Status of="in_progress" word={t('Confirmed, not final yet')} />
  );
}

function Whole({ of: transaction }: { of: LedgerTransaction }) {
  const { signature, slot, at, feeLamports, error, signers } = transaction;
  return (
    <>
      <Panel title={t('Summary')} beside={<ExplorerLink kind="tx" value={signature} />}>
        <Facts
          of={[
            [t('Signature'), <Key key="signature" value={signature} isWhole />],
            ...(error === undefined ? [] : [[t('Failed with'), <Failure key="error" of={error} />] as const]),
            [t('About'), <About key="about" text={signature} />],
            [t('Slot'), String(slot)],
            [t('Time'), at === undefined ? t('not given by the node') : <Time key="time" at={at} />],
            [t('Fee'), <Amount isExact key="fee" of={SOL} amount={feeLamports} />],
            [t('Signed by'), <Signers key="signers" of={signers} />],
          ]}
        />
      </Panel>
      <Instructions of={transaction} />
      <Balances of={transaction} />
      <Inside of={transaction} />
    </>
  );
}

function Signers({ of: signers }: { of: readonly string[] }) {
  return (
    <ul className={styles.signers}>
      {signers.map((signer) => (
        <li key={signer}>
          <Key value={signer} page="account" /> <span className={styles.good}>✓ {t('Signature verified here')}</span>
        </li>
      ))}
    </ul>
  );
}

function Failure({ of: error }: { of: unknown }) {
  return <span className={styles.wrong}>{failureOf(error)}</span>;
}
