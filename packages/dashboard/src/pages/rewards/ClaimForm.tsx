import { LegworkApiError, type RewardClaim, SOL } from '@legwork/sdk';
import { type ReactNode, useRef, useState } from 'react';
import { service } from '../../data/service.js';
import { Panel } from '../../ui/Panel.js';
import { Action, Told } from '../../wallet/Connect.js';
import form from '../../wallet/form.module.css';
import { useDoing } from '../../wallet/useDoing.js';
import type { Seen } from './ConnectStep.js';
import { PayoutProof } from './PayoutProof.js';
import styles from './rewards.module.css';
import { amountIn, rich, t } from '../../language.js';

interface Props {
  readonly seen: Seen;
  /** The claim of the key, be it this one or one that was there before. */
  readonly claimed: (claim: RewardClaim, isNew: boolean) => void;
}

/** What is wrong with which field. */
interface Blame {
  readonly payout?: string;
  readonly sure?: string;
}

/** The third step: name the payout address and register. */
export function ClaimForm({ seen, claimed }: Props) {
  const [payout, setPayout] = useState('');
  const [proof, setProof] = useState('');
  const [isSure, setSure] = useState(false);
  const [blame, setBlame] = useState<Blame>({});
  const payoutField = useRef<HTMLInputElement>(null);
  const sureField = useRef<HTMLInputElement>(null);
  const doing = useDoing();

  const point = (found: Blame) => {
    setBlame(found);
    if (found.payout !== undefined) payoutField.current?.focus();
    else if (found.sure !== undefined) sureField.current?.focus();
  };
  const register = async () => {
    const outcome = await registered(seen, payout.trim(), proof.trim());
    if (typeof outcome !== 'string') return claimed(outcome.claim, outcome.isNew);
    point({ payout: outcome });
  };
  const submit = () => {
    const found = blameOf(payout.trim(), isSure);
    point(found);
    doing.tell(undefined);
    if (Object.keys(found).length === 0) doing.run(t('Waiting for your wallet to sign the claim.'), register);
  };
  return (
    <Panel title={t('3. Where the payout goes')}>
      <form
        noValidate
        className={form.step}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Payout
          ref={payoutField}
          value={payout}
          problem={blame.payout}
          change={(next) => {
            // Another address has neither been looked at nor proven.
            setPayout(next);
            setProof('');
            setSure(false);
            setBlame({});
          }}
        />
        <PayoutProof seen={seen} payout={payout.trim()} proof={proof} setProof={setProof} />
        <Sure ref={sureField} payout={payout.trim()} isSure={isSure} setSure={setSure} problem={blame.sure} />
        <Action doing={doing}>{t('Register the claim')}</Action>
        <Told doing={doing} />
      </form>
    </Panel>
  );
}

interface PayoutProps {
  readonly ref: React.Ref<HTMLInputElement>;
  readonly value: string;
  readonly problem: string | undefined;
  readonly change: (next: string) => void;
}

function Payout({ ref, value, problem, change }: PayoutProps) {
  return (
    <div>
      <label className={form.field}>
        {t('Address of your wallet on Solana mainnet')}
        <input
          ref={ref}
          className={form.key}
          value={value}
          onChange={(event) => change(event.target.value)}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          aria-describedby="payout-hint payout-problem"
          aria-invalid={problem ? true : undefined}
        />
      </label>
      <p id="payout-hint" className={form.hint}>
        {t(
          'Paste it. An address has no checksum: a typo can be another valid address, and what is paid there is lost.',
        )}
      </p>
      <p id="payout-problem" role="alert" className={form.problem}>
        {problem}
      </p>
    </div>
  );
}

interface SureProps {
  readonly ref: React.Ref<HTMLInputElement>;
  readonly payout: string;
  readonly isSure: boolean;
  readonly setSure: (isSure: boolean) => void;
  readonly problem: string | undefined;
}

/** A claim is for good, so the address is looked at once more. */
function Sure({ ref, payout, isSure, setSure, problem }: SureProps) {
  return (
    <div>
      <label className={styles.sure}>
        <input
          type="checkbox"
          ref={ref}
          checked={isSure}
          aria-describedby="sure-problem"
          aria-invalid={problem ? true : undefined}
          onChange={(event) => setSure(event.target.checked)}
        />
        <span>
          {rich<ReactNode>(
            'The payout goes to <b>{address}</b>. I have checked it: it cannot be changed, and this key has no second claim.',
            { address: payout || t('this address'), b: (inside) => <b>{inside}</b> },
          )}
        </span>
      </label>
      <p id="sure-problem" role="alert" className={form.problem}>
        {problem}
      </p>
    </div>
  );
}

/** Looks before the wallet is asked to sign; whether the address is one, the service says. */
function blameOf(payout: string, isSure: boolean): Blame {
  if (payout === '') return { payout: t('Enter the address for the payout.') };
  return isSure ? {} : { sure: t('Check the address, then tick this.') };
}

/** @returns the key's claim, or what is wrong with the payout address @throws Error when it is not registered */
async function registered(
  { key, client, preview }: Seen,
  mainnetPubkey: string,
  mainnetSignature: string,
): Promise<{ claim: RewardClaim; isNew: boolean } | string> {
  try {
    const claim = await client.registerRewardClaim({
      devnetPubkey: key,
      mainnetPubkey,
      confirmedEarningsLamports: Number(preview.devnetEarningsLamports),
      ...(mainnetSignature !== '' && { mainnetSignature }),
    });
    return { claim, isNew: true };
  } catch (error) {
    if (!(error instanceof LegworkApiError)) throw error;
    if (error.code === 'already_claimed') {
      return { claim: await service.getMyRewardClaim({ devnetPubkey: key }), isNew: false };
    }
    const { devnetEarningsLamports: earnings } = error.extension;
    if (earnings !== undefined) {
      const now = amountIn(BigInt(earnings), SOL);
      throw new Error(
        t('This key has earned {amount} by now. Show its earnings again, then register.', { amount: now }),
        {
          cause: error,
        },
      );
    }
    const wrong = error.errors.find(({ field }) => field === 'mainnetPubkey');
    if (wrong === undefined) throw error;
    return t('This cannot be a payout address: {why}', { why: wrong.message });
  }
}
