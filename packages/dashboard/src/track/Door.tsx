/** @jsxImportSource preact */
import { SOL } from '@legwork/sdk';
import type { HandoffAhead } from '@legwork/program-client';
import type { KeyPairSigner } from '@solana/kit';
import { useEffect, useState } from 'preact/hooks';
import { lastLeg, readAhead, signArrival, signedBefore } from './door.js';
import type { Parcel } from './service.js';
import { Shown } from './Shown.js';
import type { Signed } from './useDelivery.js';
import { faultOf } from './words.js';
import { Wrong } from './Wrong.js';
import { amountIn, rich, t } from '../language.js';

interface Props {
  readonly parcel: Parcel;
  readonly holder: { readonly signer: KeyPairSigner };
  readonly words: string;
  readonly signed: Signed;
  readonly done: () => Promise<void>;
}

/** At the door: the consignee looks at the parcel, says how it is, and gets the code that pays the courier. */
export function Door({ parcel, holder, words, signed, done }: Props) {
  const { isReady, problem, code, sign } = useArrival(parcel, holder.signer, () =>
    Promise.all([signed.send(), done()]),
  );
  if (code !== undefined) {
    // The same part of the page: who has signed goes on in it.
    return (
      <section class="door" aria-label={t('Your signature')}>
        <Shown code={code} sending={signed.sending} />
      </section>
    );
  }
  return (
    <section class="door" aria-label={t('At the door')}>
      <h2>{t('Once it is in your hands')}</h2>
      {problem && (
        <p role="alert" class="problem">
          {t('You cannot sign now: {problem}.', { problem })}
        </p>
      )}
      <Choice pays={payOf(parcel)} isReady={isReady} sign={sign} />
      <details>
        <summary>{t("Can the courier's phone not scan?")}</summary>
        <p>
          {t(
            'With the parcel in your hands, read these six words out for the courier to type. Anyone who knows them can sign in your place, so tell nobody earlier.',
          )}
        </p>
        <p class="words">{words.replaceAll('-', ' ')}</p>
      </details>
    </section>
  );
}

/** @param note what is wrong; left out: nothing */
type Sign = (note?: string) => Promise<void>;

/** What the text will say, once the ledger has said it, and what was signed. */
function useArrival(parcel: Parcel, signer: KeyPairSigner, done: () => Promise<unknown>) {
  const [ahead, setAhead] = useState<HandoffAhead>();
  const [problem, setProblem] = useState<string>();
  const [code, setCode] = useState<string>();
  const leg = lastLeg(parcel);
  const tell = (error: unknown) => setProblem(faultOf(error));
  // What could not be read is tried again with each reading of the parcel.
  const untilRead = ahead === undefined ? parcel : undefined;
  useEffect(() => {
    const read = async () => {
      const known = await readAhead(parcel, signer.address);
      setAhead(known);
      setProblem(undefined);
      setCode(await signedBefore(parcel, known));
    };
    read().catch(tell);
    // Only another courier or another stage changes what is signed.
  }, [leg?.formation, leg?.stage, signer, untilRead]);
  const sign: Sign = async (note) => {
    if (ahead === undefined) return;
    try {
      const signed = await signArrival(parcel, signer, { ahead, note });
      setCode(signed);
      await done();
    } catch (error) {
      tell(error);
    }
  };
  return { isReady: ahead !== undefined, problem, code, sign };
}

interface ChoiceProps {
  readonly pays: string;
  readonly isReady: boolean;
  readonly sign: Sign;
}

function Choice({ pays, isReady, sign }: ChoiceProps) {
  const [step, setStep] = useState<'choose' | 'sure' | 'wrong'>('choose');
  const back = () => setStep('choose');
  if (step === 'wrong') return <Wrong pays={pays} back={back} sign={sign} />;
  if (step === 'choose') {
    return (
      <>
        <Button label={t('I have it, in good condition')} onPress={() => setStep('sure')} isOff={!isReady} />
        <Button
          label={t('I have it, but something is wrong')}
          onPress={() => setStep('wrong')}
          isOff={!isReady}
          isSecond
        />
      </>
    );
  }
  return (
    <div
      role="alertdialog"
      aria-label={t('Pay the courier?')}
      aria-describedby="pays"
      onKeyDown={({ key }) => key === 'Escape' && back()}
    >
      <p id="pays">
        {rich(
          "Check it first. Your signature pays the courier <b>{pays}</b> from the shipper's escrow and cannot be undone.",
          { pays, b: (inside) => <strong>{inside}</strong> },
        )}
      </p>
      <Button label={t('Not yet')} onPress={back} isSecond hasFocus />
      <Button label={t('Yes, I have it')} onPress={() => void sign()} describedBy="pays" />
    </div>
  );
}

interface ButtonProps {
  readonly label: string;
  readonly onPress: () => void;
  readonly isOff?: boolean;
  readonly isSecond?: boolean;
  readonly hasFocus?: boolean;
  /** The id of what says more about it. */
  readonly describedBy?: string;
}

export function Button({
  label,
  onPress,
  isOff = false,
  isSecond = false,
  hasFocus = false,
  describedBy,
}: ButtonProps) {
  return (
    <button
      type="button"
      class={isSecond ? 'second' : ''}
      disabled={isOff}
      aria-describedby={describedBy}
      onClick={onPress}
      ref={hasFocus ? (button) => button?.focus() : null}
    >
      {label}
    </button>
  );
}

/** What the last courier is paid. */
function payOf(parcel: Parcel): string {
  const { asset = SOL.asset, decimals = SOL.decimals } = parcel;
  return amountIn(BigInt(lastLeg(parcel)?.agreedPayment ?? 0), { asset, decimals });
}
