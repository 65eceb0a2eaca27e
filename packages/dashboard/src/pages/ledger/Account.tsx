import { SOL } from '@legwork/sdk';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'wouter';
import { readAccount } from '../../data/ledger.js';
import type { LedgerAccount } from '../../data/node.js';
import { Amount } from '../../ui/Amount.js';
import { Heading } from '../../ui/Heading.js';
import { Key } from '../../ui/Key.js';
import { Loaded } from '../../ui/Loaded.js';
import { Empty, Facts, Panel } from '../../ui/Panel.js';
import { About } from './Transaction.js';
import { type AccountData, decodeAccount } from './accountData.js';
import { ExplorerLink } from './ExplorerLink.js';
import styles from './ledger.module.css';
import { programName } from '../../checks/instructionWords.js';
import { rowsOf } from './Value.js';
import { t } from '../../language.js';

/** An account as the ledger shows it to this browser now. */
export default function Account() {
  const { address = '' } = useParams();
  const query = useQuery({
    queryKey: ['ledgerAccount', address],
    queryFn: async () => (await readAccount(address)) ?? null,
    retry: false,
  });
  return (
    <>
      <Heading title={t('Account')} />
      <div className={styles.page}>
        <Loaded query={query} rows={4}>
          {(account) =>
            account === null ? (
              <Absent address={address} />
            ) : (
              <Whole of={account} refresh={() => void query.refetch()} />
            )
          }
        </Loaded>
      </div>
    </>
  );
}

/** Accounts come and go: those of a package that is over are closed, and what they held returned. */
function Absent({ address }: { address: string }) {
  return (
    <Panel title={t('Nothing at this address')} beside={<ExplorerLink kind="address" value={address} />}>
      <Empty>
        <p>{t('The account is closed or holds nothing yet.')}</p>
        <Key value={address} />
        <About text={address} />
      </Empty>
    </Panel>
  );
}

function Whole({ of: account, refresh }: { of: LedgerAccount; refresh: () => void }) {
  const { address, lamports, data, isProgram, isRelays, slot } = account;
  const decoded = isRelays ? decodeAccount(data) : undefined;
  return (
    <>
      <Panel title={isProgram ? t('Program') : t('Summary')} beside={<ExplorerLink kind="address" value={address} />}>
        <Facts
          of={[
            [t('Address'), <Key key="address" value={address} isWhole />],
            [t('Holds'), <Amount isExact key="lamports" of={SOL} amount={lamports} />],
            [t('About'), <About key="about" text={address} />],
            [t('Owner'), <Owner key="owner" of={account} />],
            [t('Size'), t('{size, plural, one {# byte} other {# bytes}}', { size: data.length })],
            [
              t('As of'),
              <span key="slot">
                {t('slot {slot}', { slot: String(slot) })}{' '}
                <button type="button" className={styles.button} onClick={refresh}>
                  {t('Refresh')}
                </button>
              </span>,
            ],
          ]}
        />
      </Panel>
      {decoded && <Decoded of={decoded} />}
      {isRelays && !decoded && data.length > 0 && (
        <Panel title={t('Data')}>
          <p className={styles.dim}>{t('This page does not know this kind of account.')}</p>
        </Panel>
      )}
    </>
  );
}

function Owner({ of: { owner, isRelays } }: { of: LedgerAccount }) {
  return <Key value={owner} page="account" name={isRelays ? t('the relay program') : programName(owner)} />;
}

function Decoded({ of: { title, status, values } }: { of: AccountData }) {
  return (
    <Panel title={title}>
      <Facts of={[...(status === undefined ? [] : [[t('Status'), status] as const]), ...rowsOf(values)]} />
    </Panel>
  );
}
