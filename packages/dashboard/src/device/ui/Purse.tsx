import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ServiceConfig } from '@legwork/sdk';
import { allOf } from '../../checks/transaction.js';
import { type Held, heldKey, sayHeld, useHeld } from '../../data/held.js';
import { service, useRead } from '../../data/service.js';
import { AskedBack } from '../../wallet/AskedBack.js';
import { Action, Told } from '../../wallet/Connect.js';
import form from '../../wallet/form.module.css';
import { useDoing } from '../../wallet/useDoing.js';
import { askFaucet } from '../faucet.js';
import { gone } from '../register.js';
import { forgetKey, readKey } from '../store.js';
import { t } from '../../language.js';

/** How safe it is what this device holds, and where test SOL and test tokens come from. */
export function Purse({ address }: { address: string }) {
  const { data: config } = useRead('getConfig');
  const { data: kept } = useQuery({ queryKey: ['deviceKept'], queryFn: isKept, retry: false });
  const { data: held } = useHeld(address);
  return (
    <>
      {config && config.cluster !== 'mainnet-beta' && <Faucet address={address} config={config} />}
      {kept && !kept.isWrittenDown && (
        <p className={form.notice}>
          {t('You have not written its words down: if this browser loses its data, what the key holds is lost.')}
        </p>
      )}
      {kept && !kept.isPersistent && (
        <p className={form.hint}>
          {t(
            'This browser may delete the key: Safari after seven days without a visit, unless the page is on the home screen, others when the disk is full.',
          )}
          {kept.isWrittenDown && ` ${t('Its words bring it back.')}`}
        </p>
      )}
      <Forget held={held} />
    </>
  );
}

async function isKept() {
  const [key, isPersistent] = await Promise.all([readKey(), navigator.storage?.persisted?.() ?? false]);
  return { isWrittenDown: key?.isWrittenDown === true, isPersistent };
}

function Faucet({ address, config: { cluster, assets } }: { address: string; config: ServiceConfig }) {
  const doing = useDoing();
  const client = useQueryClient();
  const get = async () => {
    await askFaucet(address, cluster);
    await client.invalidateQueries({ queryKey: heldKey(address) });
    return t('1 test SOL has arrived. It is worth nothing outside this test network.');
  };
  const tokens = assets.flatMap(({ asset, mint }) => (mint === null ? [] : asset.toUpperCase()));
  const getTokens = async () => {
    const { tokens: came } = await service.registerAgent({ agentPubkey: address });
    await client.invalidateQueries({ queryKey: heldKey(address) });
    if (came.length === 0)
      throw new Error(t('The service gives none now: it has none left, or it gave you some recently.'));
    return t(
      'Test tokens have arrived. They are worth nothing outside this test network. Your key is registered as an agent.',
    );
  };
  return (
    <div className={form.step}>
      <Action doing={doing} onPress={() => doing.run(t('Asking the faucet.'), get)}>
        {t('Get 1 test SOL')}
      </Action>
      {tokens.length > 0 && (
        <Action doing={doing} onPress={() => doing.run(t('Asking the service.'), getTokens)}>
          {t('Get test {tokens}', { tokens: allOf(tokens) })}
        </Action>
      )}
      <Told doing={doing} />
    </div>
  );
}

/** Takes the key off this device; asked back, because it may be the only one. */
function Forget({ held }: { held: readonly Held[] | undefined }) {
  const doing = useDoing();
  const forget = async () => {
    await forgetKey();
    gone();
  };
  const says =
    held === undefined
      ? t(
          'This browser forgets the key. Its words bring it back; without them everything it holds and what it has in legs under way are lost for good.',
        )
      : t(
          'This browser forgets the key. Its words bring it back; without them {amounts} and what it has in legs under way are lost for good.',
          { amounts: sayHeld(held) },
        );
  return (
    <>
      <AskedBack
        label={t('Forget the key')}
        doing={doing}
        question={{ says }}
        yes={t('Forget it')}
        onMake={() => doing.run(t('Forgetting the key.'), forget)}
      />
      <Told doing={doing} />
    </>
  );
}
