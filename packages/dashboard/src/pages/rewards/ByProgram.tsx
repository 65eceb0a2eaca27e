import { SOL } from '@legwork/sdk';
import type { ReactNode } from 'react';
import { Panel, Facts } from '../../ui/Panel.js';
import form from '../../wallet/form.module.css';
import type { RewardClaim } from '@legwork/sdk';
import { Amount } from '../../ui/Amount.js';
import { ClaimForm } from './ClaimForm.js';
import type { Seen } from './ConnectStep.js';
import { rich, t } from '../../language.js';

/** The same without this page. @param url of the service */
export function ByProgram({ url }: { url: string }) {
  return (
    <Panel title={t('With a program')}>
      <div className={form.step}>
        <p>{t('With the SDK:')}</p>
        <pre tabIndex={0}>
          <code>{sdk(url)}</code>
        </pre>
        <p>
          {rich<ReactNode>(
            'With curl: the signature (base58, ed25519) is over six lines: <code>svc-auth-v1</code>, the method, the host, the path, the nonce (Unix milliseconds, <code>-</code>, 8 or more random letters and digits) and the sha256 of the body in hex, joined by line feeds.',
            { code: (inside) => <code>{inside}</code> },
          )}
        </p>
        <pre tabIndex={0}>
          <code>{curl(url)}</code>
        </pre>
      </div>
    </Panel>
  );
}

const sdk = (url: string) => `import { createLegworkClient } from '@legwork/sdk';
import { createKeyPairSignerFromBytes } from '@legwork/sdk/kit';

const signer = await createKeyPairSignerFromBytes(secretKey); // the 64 bytes of the agent's key file
const relay = createLegworkClient({ url: '${url}', signer });
const devnetPubkey = signer.address;
const { devnetEarningsLamports } = await relay.previewRewardClaim({ devnetPubkey });
console.log(devnetEarningsLamports); // look at it before you go on
await relay.registerRewardClaim({
  devnetPubkey,
  mainnetPubkey: 'your address on mainnet', // it cannot be changed
  confirmedEarningsLamports: Number(devnetEarningsLamports),
});`;

const curl = (url: string) => `# The claim of a key
curl '${url}/reward-claims/my?devnetPubkey=KEY'
# What a claim would record; the headers sign the request
curl '${url}/reward-claims/preview' -H 'content-type: application/json' \\
  -H 'X-Pubkey: KEY' -H 'X-Nonce: NONCE' -H 'X-Signature: SIGNATURE' -d '{"devnetPubkey":"KEY"}'`;

/** The second step: what a claim of the key would record; the third one, where the payout goes. */
export function Earned({ seen, claimed }: { seen: Seen; claimed: (claim: RewardClaim, isNew: boolean) => void }) {
  const { devnetEarningsLamports, sponsoredLamports, selfFundedLamports, legs, posters, window } = seen.preview;
  return (
    <>
      <Panel title={t('2. What your claim would record')} takesFocus>
        <Facts
          of={[
            [t('Earned by digital tasks'), <Amount key="all" of={SOL} amount={devnetEarningsLamports} />],
            [t('of which sponsored'), <Amount key="sponsored" of={SOL} amount={sponsoredLamports} />],
            [t('of which self-funded'), <Amount key="self" of={SOL} amount={selfFundedLamports} />],
            [t('Completed legs'), String(legs)],
            [t('Posters'), String(posters)],
          ]}
        />
        {!window.isOpen && <p className={form.notice}>{t('Claims are closed, so this cannot be registered.')}</p>}
      </Panel>
      {window.isOpen && <ClaimForm seen={seen} claimed={claimed} />}
    </>
  );
}
