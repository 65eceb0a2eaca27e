import { getBase58Decoder } from '@solana/kit';
import { useRef } from 'react';
import { signMessage } from '../../wallet/signer.js';
import { Action, Told } from './Action.js';
import type { Seen } from './ConnectStep.js';
import styles from './rewards.module.css';
import { useDoing } from './useDoing.js';

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
      return `${wallet.name} does not show that address. Sign the text where the key is, and paste the signature.`;
    }
    const signature = await signMessage(wallet, account, new TextEncoder().encode(text));
    // Meanwhile the person may have named another address.
    if (current.current === payout) setProof(getBase58Decoder().decode(signature));
    return undefined;
  };
  return (
    <details className={styles.proof}>
      <summary>Prove that you hold the payout key (optional)</summary>
      <div className={styles.step}>
        <p>The payout key signs this text. The claim then records that somebody holds it.</p>
        <pre>
          <code>{text}</code>
        </pre>
        <Action doing={doing} onPress={() => doing.run('Waiting for your wallet to sign the proof.', prove)}>
          Sign it with the connected wallet
        </Action>
        <Told doing={doing} />
        <label className={styles.field}>
          Signature, base58
          <input
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
