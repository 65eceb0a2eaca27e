import { Panel } from '../../ui/Panel.js';
import { budgetFrom, type Typed, deadlineIn, type Faults, readTyped } from './draft.js';
import { ReceiverLink } from '../../door/ReceiverLink.js';
import { AskedBack } from '../../wallet/AskedBack.js';
import { keepForm, keptForm } from './kept.js';
import styles from './post.module.css';
import { useQuoted } from './useQuoted.js';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { type PayableAsset, SOL_ASSET } from '@legwork/protocol/rules';
import { SOL, type ServiceConfig } from '@legwork/sdk';
import type { Kind } from '../../data/legWords.js';
import { Action, Told } from '../../wallet/Connect.js';
import form from '../../wallet/form.module.css';
import { useTries } from '../../wallet/Labelled.js';
import { useSession } from '../../wallet/session.js';
import { type Doing, useDoing } from '../../wallet/useDoing.js';
import { Fields } from './Fields.js';
import { PresetChoice } from './PresetChoice.js';
import { Summary } from './Summary.js';
import { useListing } from './useListing.js';
import { Wordless } from './Wordless.js';
import { m, rich, t } from '../../language.js';

const EMPTY = {
  title: '',
  description: '',
  from: '',
  to: '',
  weightKg: '',
  volumeLitres: '',
  legs: [''],
  legMinutes: '30',
  asset: SOL.asset,
  budget: '',
  isBudgetOwn: false,
  hours: '72',
  receives: 'self',
  receiver: '',
} as const;

/** What is typed, as this tab keeps it, with the budget that the like costs until a person sets one. */
function useTyped(kind: Kind, hasArbiter: boolean, assets: readonly PayableAsset[]) {
  const [own, setOwn] = useState<Typed>(() => {
    const kept = keptForm(kind) ?? { ...EMPTY, kind, preset: 'standard' };
    // A service may have stopped to list in what was chosen.
    const known = assets.some(({ asset }) => asset === kept.asset) ? kept : { ...kept, asset: SOL.asset, budget: '' };
    return hasArbiter ? known : { ...known, preset: 'plain' };
  });
  const quoted = useQuoted(own);
  const typed = quoted && !own.isBudgetOwn ? { ...own, budget: budgetFrom(quoted) } : own;
  const change = (part: Partial<Typed>) => {
    const next = { ...own, isBudgetOwn: own.isBudgetOwn || 'budget' in part, ...part };
    setOwn(next);
    keepForm(next);
  };
  return { typed, change, quoted };
}

export function PostForm({ config, kind }: { config: ServiceConfig; kind: Kind }) {
  const { arbiterPubkey } = config;
  const assets = [SOL_ASSET, ...config.assets.filter(({ mint }) => mint !== null)];
  const { typed, change, quoted } = useTyped(kind, arbiterPubkey !== null, assets);
  const asset = assets.find((one) => one.asset === typed.asset) ?? SOL_ASSET;
  const { isSigned, unkept, forget, list, send } = useListing(kind);
  const [, go] = useLocation();
  const session = useSession();
  const doing = useDoing();
  const read = readTyped(typed, arbiterPubkey, asset);
  const { form: element, isTried, tried } = useTries();
  const submit = () => {
    tried();
    if (isSigned) return doing.run(t('Sending it.'), async () => go(await send()));
    if ('faults' in read) return doing.tell(undefined);
    doing.run(t('Waiting for your wallet to sign.'), async () => {
      if (!session) throw new Error(t('Connect the wallet that pays for it.'));
      const isForPhone = kind === 'package' && read.terms !== null && typed.receives === 'phone';
      const path = await list(session, { ...read.draft, deadline: deadlineIn(typed.hours) }, isForPhone);
      if (path !== undefined) go(path);
    });
  };
  const faults = isTried && 'faults' in read ? read.faults : NONE;
  const shown = { typed, change, faults };
  return (
    <Panel title={kind === 'package' ? t('Parcel, route and budget') : t('Task, legs and budget')}>
      <form
        ref={element}
        noValidate
        className={form.step}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        {/* What is signed says what stood here then. */}
        <fieldset className={`${form.step} ${styles.form}`} disabled={isSigned}>
          <Fields {...shown} quoted={quoted} assets={assets} />
          <PresetChoice {...shown} hasArbiter={arbiterPubkey !== null} />
        </fieldset>
        {!('faults' in read) && <Summary typed={typed} read={read} of={asset} config={config} />}
        {session && kind === 'package' && typed.preset !== 'plain' && <Wordless {...session} />}
        {unkept && <Unkept {...unkept} />}
        {isSigned && !unkept && doing.waiting === undefined && <Signed doing={doing} forget={forget} />}
        <Action doing={doing}>{t(unkept ? COPIED : isSigned ? AGAIN : LIST)}</Action>
        <Told doing={doing} />
      </form>
    </Panel>
  );
}

const NONE: Faults = {};

const COPIED = m('I have copied the link: list it');
const AGAIN = m('Send it again');
const LIST = m('Sign and list it');

/** The receiver's link, where this browser has no room for it: without it nobody can receive the parcel. */
function Unkept({ packageId, words }: { packageId: string; words: string }) {
  return (
    <div className={form.notice} role="alert">
      <p>
        {rich(
          "<b>This browser could not keep the receiver's link.</b> Nothing is listed yet. Copy it now, within a minute: only this page has it, and without it only you can sign for the parcel.",
          { b: (inside) => <strong>{inside}</strong> },
        )}
      </p>
      <ReceiverLink packageId={packageId} words={words} />
    </div>
  );
}

/** What was signed may be listed already. */
function Signed({ doing, forget }: { doing: Doing; forget: () => void }) {
  return (
    <div className={form.notice}>
      <p>
        {t(
          'You signed it, but no answer came. Send it again: it is listed and paid only once, however often you send it.',
        )}
      </p>
      <AskedBack
        label={t('Change it instead')}
        doing={doing}
        question={{
          says: t(
            'If it was listed after all, a second one locks a second budget. Check “My packages” on the page of your turns first.',
          ),
        }}
        yes={t('Yes, change it')}
        onMake={forget}
      />
    </div>
  );
}
