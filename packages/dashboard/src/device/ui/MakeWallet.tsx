import { type ReactNode, useEffect, useState } from 'react';
import form from '../../wallet/form.module.css';
import { Labelled, useTries } from '../../wallet/Labelled.js';
import { useDoing } from '../../wallet/useDoing.js';
import { Told } from '../../wallet/Connect.js';
import { faultOfDevice } from '../faults.js';
import { keepPhrase, placesToAsk, requireKeys } from '../making.js';
import type { OwnKey } from '../store.js';
import { Sheet } from './Sheet.js';
import styles from './sheet.module.css';
import { m, type Message, t } from '../../language.js';

/** Its code, with the list of words, comes when somebody makes or types a phrase. */
const phrases = () => import('../phrase.js');

interface Props {
  /** @param made undefined: none is wanted */
  readonly onDone: (made: OwnKey | undefined) => void;
}

type Step = 'choose' | 'words' | 'skip' | 'back' | 'restore';

const TITLES: Readonly<Record<Step, Message>> = {
  choose: m('A wallet on this device'),
  words: m('Write these 12 words down'),
  skip: m('Without the words'),
  back: m('Type three of them'),
  restore: m('Your recovery phrase'),
};

/** Makes the key of this device from new words, or from those of a wallet that was. Rule D-74. */
export function MakeWallet({ onDone }: Props) {
  const [step, setStep] = useState<Step>('choose');
  const [phrase, setPhrase] = useState('');
  const begin = async () => {
    await checked(requireKeys);
    setPhrase((await phrases()).newPhrase());
    setStep('words');
  };
  const words = phrase.split(' ');
  return (
    <Sheet title={t(TITLES[step])} onClose={() => onDone(undefined)}>
      {step === 'choose' && <Choose begin={begin} go={setStep} leave={() => onDone(undefined)} />}
      {step === 'words' && <Words words={words} go={setStep} />}
      {step === 'skip' && (
        <Skip keep={async () => onDone(await checked(() => keepPhrase(phrase, false)))} go={setStep} />
      )}
      {step === 'back' && (
        <TypeBack words={words} keep={async () => onDone(await checked(() => keepPhrase(phrase, true)))} go={setStep} />
      )}
      {step === 'restore' && (
        <Restore keep={async (typed) => onDone(await checked(() => keepPhrase(typed, true)))} go={setStep} />
      )}
    </Sheet>
  );
}

async function checked<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Error(faultOfDevice(error), { cause: error });
  }
}

interface StepProps {
  readonly go: (step: Step) => void;
}

function Choose({ begin, go, leave }: StepProps & { begin: () => Promise<void>; leave: () => void }) {
  const doing = useDoing();
  return (
    <>
      <p>
        {t(
          'This browser makes a key and stores it: no app, no account. Anyone who can unlock this device can spend what it holds, so keep little in it.',
        )}
      </p>
      <p className={form.hint}>
        {t(
          'A private window forgets it when it closes. If you had a wallet here and the browser deleted it, its words bring it back.',
        )}
      </p>
      <Told doing={doing} />
      <div className={styles.buttons}>
        <Press onPress={leave}>{t('Not now')}</Press>
        <Press onPress={() => go('restore')}>{t('I have its words')}</Press>
        <Press isMain onPress={() => doing.run(t('Making a key.'), begin)}>
          {t('Make one')}
        </Press>
      </div>
    </>
  );
}

function Words({ words, go }: StepProps & { words: readonly string[] }) {
  return (
    <>
      <p>
        {t(
          'These words are the key: they open the same account in other Solana wallets. Anyone who reads them can take what it holds. They are shown only once and stored nowhere, so write them on paper.',
        )}
      </p>
      <ol className={styles.words}>
        {words.map((word, at) => (
          <li key={at}>{word}</li>
        ))}
      </ol>
      <div className={styles.buttons}>
        <Press onPress={() => go('skip')}>{t('Skip this')}</Press>
        <Press isMain onPress={() => go('back')}>
          {t('I wrote them down')}
        </Press>
      </div>
    </>
  );
}

function Skip({ keep, go }: StepProps & { keep: () => Promise<void> }) {
  const doing = useDoing();
  return (
    <>
      <p className={form.notice}>
        {t(
          'Then only this browser has the key. If the browser deletes its data, a private window closes or the device is lost, everything the key holds is lost for good, including stakes and payments of legs under way. Nobody can bring it back, not even the service.',
        )}
      </p>
      <p>{t('That is good enough to try things out with test SOL.')}</p>
      <Told doing={doing} />
      <div className={styles.buttons}>
        <Press onPress={() => go('words')}>{t('Back to the words')}</Press>
        <Press onPress={() => doing.run(t('Keeping the key.'), keep)}>{t('Skip, I may lose it')}</Press>
      </div>
    </>
  );
}

const TYPED = { autoComplete: 'off', autoCapitalize: 'none', autoCorrect: 'off', spellCheck: false } as const;

function TypeBack({ words, keep, go }: StepProps & { words: readonly string[]; keep: () => Promise<void> }) {
  const doing = useDoing();
  const [places] = useState(() => placesToAsk(words.length));
  const [typed, setTyped] = useState<readonly string[]>(['', '', '']);
  const { form: element, isTried, tried } = useTries();
  const isRight = (at: number) => typed[at]?.trim().toLowerCase() === words[places[at] ?? -1];
  const submit = () => {
    tried();
    if (places.every((_, at) => isRight(at))) doing.run(t('Keeping the key.'), keep);
  };
  return (
    <Form of={element} submit={submit}>
      {places.map((place, at) => (
        <Labelled
          key={place}
          label={t('Word {number}', { number: place + 1 })}
          fault={
            isTried && !isRight(at)
              ? t('This is not word {number}: check what you wrote down.', { number: place + 1 })
              : undefined
          }
        >
          {(aria) => (
            <input
              {...aria}
              {...TYPED}
              value={typed[at]}
              onChange={({ target }) => setTyped(typed.with(at, target.value))}
            />
          )}
        </Labelled>
      ))}
      <Told doing={doing} />
      <div className={styles.buttons}>
        <Press onPress={() => go('words')}>{t('Show them again')}</Press>
        <button type="submit" className={`${form.button} ${styles.main}`}>
          {t('Done')}
        </button>
      </div>
    </Form>
  );
}

function Restore({ keep, go }: StepProps & { keep: (typed: string) => Promise<void> }) {
  const doing = useDoing();
  const [typed, setTyped] = useState('');
  const [fault, setFault] = useState<string>();
  const { form: element, tried } = useTries();
  const submit = () => {
    doing.run(t('Making the key.'), async () => {
      const { faultOfPhrase } = await phrases();
      const found = faultOfPhrase(typed);
      setFault(found);
      tried();
      if (found === undefined) {
        await checked(requireKeys);
        await keep(typed);
      }
    });
  };
  return (
    <Form of={element} submit={submit}>
      <p>{t('The words stay on this device, and it stores only the key that they make.')}</p>
      <Labelled label={t('12 or 24 words, separated by spaces')} fault={fault}>
        {(aria) => <textarea {...aria} {...TYPED} value={typed} onChange={({ target }) => setTyped(target.value)} />}
      </Labelled>
      <Told doing={doing} />
      <div className={styles.buttons}>
        <Press onPress={() => go('choose')}>{t('Back')}</Press>
        <button type="submit" className={`${form.button} ${styles.main}`}>
          {t('Restore')}
        </button>
      </div>
    </Form>
  );
}

interface FormProps {
  readonly of: React.RefObject<HTMLFormElement | null>;
  readonly submit: () => void;
  readonly children: ReactNode;
}

function Form({ of, submit, children }: FormProps) {
  // It comes after a step without fields: the first one is where to go on.
  useEffect(() => of.current?.querySelector<HTMLElement>('input, textarea')?.focus(), [of]);
  return (
    <form
      ref={of}
      noValidate
      className={styles.lines}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {children}
    </form>
  );
}

function Press({ isMain = false, onPress, children }: { isMain?: boolean; onPress: () => void; children: ReactNode }) {
  return (
    <button type="button" className={isMain ? `${form.button} ${styles.main}` : form.button} onClick={onPress}>
      {children}
    </button>
  );
}
