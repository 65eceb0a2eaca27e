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
      <Heading title="Account" />
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
    <Panel title="Nothing at this address" beside={<ExplorerLink kind="address" value={address} />}>
      <Empty>
        <p>The account is closed or holds nothing yet.</p>
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
      <Panel title={isProgram ? 'Program' : 'Summary'} beside={<ExplorerLink kind="address" value={address} />}>
        <Facts
          of={[
            ['Address', <Key key="address" value={address} isWhole />],
            ['Holds', <Amount isExact key="lamports" of={SOL} amount={lamports} />],
            ['About', <About key="about" text={address} />],
            ['Owner', <Owner key="owner" of={account} />],
            ['Size', data.length === 1 ? '1 byte' : `${data.length} bytes`],
            [
              'As of',
              <span key="slot">
                slot {String(slot)}{' '}
                <button type="button" className={styles.button} onClick={refresh}>
                  Refresh
                </button>
              </span>,
            ],
          ]}
        />
      </Panel>
      {decoded && <Decoded of={decoded} />}
      {isRelays && !decoded && data.length > 0 && (
        <Panel title="Data">
          <p className={styles.dim}>This page does not know this kind of account.</p>
        </Panel>
      )}
    </>
  );
}

function Owner({ of: { owner, isRelays } }: { of: LedgerAccount }) {
  return <Key value={owner} page="account" name={isRelays ? 'the relay program' : programName(owner)} />;
}

function Decoded({ of: { title, status, values } }: { of: AccountData }) {
  return (
    <Panel title={title}>
      <Facts of={[...(status === undefined ? [] : [['Status', status] as const]), ...rowsOf(values)]} />
    </Panel>
  );
}
