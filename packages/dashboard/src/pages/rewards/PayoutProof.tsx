import { getBase58Decoder } from '@solana/kit';
import { useRef } from 'react';
import { Action, Told } from '../../wallet/Connect.js';
import form from '../../wallet/form.module.css';
import { signMessage, signsMessages } from '../../wallet/signer.js';
import { useDoing } from '../../wallet/useDoing.js';
import type { Seen } from './ConnectStep.js';
import styles from './rewards.module.css';
import { t } from '../../language.js';

const PLACEHOLDER = '{mainnetPubkey}';

interface Props {
  readonly seen: Seen;
  readonly payout: string;
  /** The signature, base58; empty: none yet. */
  readonly proof: string;
  readonly setProof: (signature: string) => void;
}

/** The payout key signs that it is held by somebody: by an account of the wallet, or elsewhere. */
export function PayoutProof({ seen: { connection, preview }, payout, proof, setProof }: Props) {
  const doing = useDoing();
  const current = useRef(payout);
  current.current = payout;
  const text = preview.payoutProof.replace(PLACEHOLDER, () => payout);
  const prove = async () => {
    const { wallet, accounts } = connection;
    const account = accounts.find(({ address }) => address === payout);
    if (account === undefined) {
      return t('{wallet} does not show that address. Sign the text where the key is, and paste the signature.', {
        wallet: wallet.name,
      });
    }
    if (!signsMessages(wallet, account))
      return t('{wallet} cannot sign messages. Leave the proof out, or paste one.', { wallet: wallet.name });
    const signature = await signMessage(wallet, account, new TextEncoder().encode(text));
    // Meanwhile the person may have named another address.
    if (current.current === payout) setProof(getBase58Decoder().decode(signature));
    return undefined;
  };
  return (
    <details className={styles.proof}>
      <summary>{t('Prove that you hold the payout key (optional)')}</summary>
      <div className={form.step}>
        <p>{t('The payout key signs this text. The claim then records that somebody holds it.')}</p>
        <pre>
          <code>{text}</code>
        </pre>
        <Action doing={doing} onPress={() => doing.run(t('Waiting for your wallet to sign the proof.'), prove)}>
          {t('Sign it with the connected wallet')}
        </Action>
        <Told doing={doing} />
        <label className={form.field}>
          {t('Signature, base58')}
          <input
            className={form.key}
            value={proof}
            onChange={(event) => setProof(event.target.value)}
            autoComplete="off"
            spellCheck={false}
          />
        </label>
      </div>
    </details>
  );
}
