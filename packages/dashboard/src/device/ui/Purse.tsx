import { useQuery, useQueryClient } from '@tanstack/react-query';
import { SOL, formatSol, type ServiceConfig } from '@legwork/sdk';
import { useRead } from '../../data/service.js';
import { Amount } from '../../ui/Amount.js';
import { AskedBack } from '../../wallet/AskedBack.js';
import { Action, Told } from '../../wallet/Connect.js';
import form from '../../wallet/form.module.css';
import { useDoing } from '../../wallet/useDoing.js';
import { askFaucet, balanceOf } from '../faucet.js';
import { gone } from '../register.js';
import { forgetKey, readKey } from '../store.js';

/** How often it is looked what the account holds, milliseconds: it changes when others pay, too. */
const LOOK_EVERY_MS = 10_000;

/** What this device holds, how safe it is, and where test SOL comes from. */
export function Purse({ address }: { address: string }) {
  const { data: config } = useRead('getConfig');
  const { data: kept } = useQuery({ queryKey: ['deviceKept'], queryFn: isKept, retry: false });
  const balance = useQuery({
    queryKey: ['deviceBalance', address],
    queryFn: () => balanceOf(address),
    refetchInterval: LOOK_EVERY_MS,
    staleTime: 0,
    retry: false,
  });
  return (
    <>
      <p>
        {balance.data === undefined ? (
          (balance.error?.message ?? 'Asking the ledger what this device holds.')
        ) : (
          <>
            This device holds <Amount of={SOL} amount={balance.data} />.
          </>
        )}
      </p>
      {config && config.cluster !== 'mainnet-beta' && <Faucet address={address} cluster={config.cluster} />}
      {kept && !kept.isWrittenDown && (
        <p className={form.notice}>
          Its words were not written down: what it holds is lost with the data of this browser.
        </p>
      )}
      {kept && !kept.isPersistent && (
        <p className={form.hint}>
          This browser may delete the key: Safari after seven days without a visit, unless the page is on the home
          screen, others when the disk is full.{kept.isWrittenDown && ' Its words bring it back.'}
        </p>
      )}
      <Forget lamports={balance.data} />
    </>
  );
}

async function isKept() {
  const [key, isPersistent] = await Promise.all([readKey(), navigator.storage?.persisted?.() ?? false]);
  return { isWrittenDown: key?.isWrittenDown === true, isPersistent };
}

function Faucet({ address, cluster }: { address: string; cluster: ServiceConfig['cluster'] }) {
  const doing = useDoing();
  const client = useQueryClient();
  const get = async () => {
    client.setQueryData(['deviceBalance', address], await askFaucet(address, cluster));
    return '1 test SOL has come. It is worth nothing outside of this test network.';
  };
  return (
    <div className={form.step}>
      <Action doing={doing} onPress={() => doing.run('Asking the faucet.', get)}>
        Get 1 test SOL
      </Action>
      <Told doing={doing} />
    </div>
  );
}

/** Takes the key off this device; asked back, because it may be the only one. */
function Forget({ lamports }: { lamports: bigint | undefined }) {
  const doing = useDoing();
  const forget = async () => {
    await forgetKey();
    gone();
  };
  const held = lamports === undefined ? 'all that it holds' : `${formatSol(lamports)} SOL`;
  return (
    <>
      <AskedBack
        label="Forget the key"
        doing={doing}
        question={{
          says: `This browser forgets the key. Its words bring it back; without them ${held} and what it has in running legs are lost for good.`,
        }}
        yes="Forget it"
        onMake={() => doing.run('Forgetting the key.', forget)}
      />
      <Told doing={doing} />
    </>
  );
}
