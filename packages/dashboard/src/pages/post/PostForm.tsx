import { legShare } from '@legwork/protocol/rules';
import { Amount } from '../../ui/Amount.js';
import { Bound } from '../../ui/Bound.js';
import { Facts, Panel } from '../../ui/Panel.js';
import { type Read, type Typed, deadlineIn, type Faults, readTyped } from './draft.js';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { ServiceConfig } from '@legwork/sdk';
import type { Kind } from '../../data/legWords.js';
import { Action, Told } from '../../wallet/Connect.js';
import form from '../../wallet/form.module.css';
import { useTries } from '../../wallet/Labelled.js';
import { type Session, useSession } from '../../wallet/session.js';
import { signsMessages } from '../../wallet/signer.js';
import { useDoing } from '../../wallet/useDoing.js';
import { Fields } from './Fields.js';
import { PresetChoice } from './PresetChoice.js';
import { useListing } from './useListing.js';

/** What the wallet will sign: the transaction is compared with this, to the lamport and the second. */
function Summary({ typed: { kind, legs }, read: { budget, terms } }: { typed: Typed; read: Read }) {
  const share = <Amount key="share" lamports={legShare(budget, legs.length)} />;
  return (
    <>
      <Facts
        of={[
          ['You lock', <Amount key="budget" lamports={budget} />],
          ...(kind === 'task' ? [['Each leg pays', share] as const] : []),
        ]}
      />
      {terms && <Bound kind={kind} by={terms} />}
    </>
  );
}

/** A pickup that the shipper signs too is a text: without messages nobody hands the parcel over. Rule D-49. */
function Wordless({ wallet, account }: Session) {
  if (signsMessages(wallet, account)) return null;
  return (
    <p className={form.notice}>
      {wallet.name} signs no messages, and with these terms you hand the parcel to its first courier by signing one.
      Unless that courier offers you a transaction with the SDK (<code>shareOffer</code>), to be signed within a minute,
      nobody can pick it up: what you lock stays locked until the deadline, and a courier that accepts can lose its
      stake. Connect a wallet that signs messages, or choose Plain, which asks for no signature at the pickup.
    </p>
  );
}

const EMPTY = {
  title: '',
  description: '',
  from: '',
  to: '',
  weightKg: '',
  volumeLitres: '',
  legs: [''],
  legMinutes: '30',
  maxBudgetSol: '',
  hours: '72',
  receiver: '',
};

export function PostForm({ config: { arbiterPubkey }, kind }: { config: ServiceConfig; kind: Kind }) {
  const [typed, setTyped] = useState<Typed>({
    ...EMPTY,
    kind,
    preset: arbiterPubkey === null ? 'plain' : 'standard',
  });
  const { isSigned, forget, list } = useListing();
  const [, go] = useLocation();
  const session = useSession();
  const doing = useDoing();
  const change = (part: Partial<Typed>) => {
    setTyped({ ...typed, ...part });
    forget();
  };
  const read = readTyped(typed, arbiterPubkey);
  const { form: element, isTried, tried } = useTries();
  const submit = () => {
    tried();
    if ('faults' in read) return doing.tell(undefined);
    doing.run('Waiting for your wallet to sign.', async () => {
      if (!session) throw new Error('Connect the wallet that pays for it.');
      go(await list(session, { ...read.draft, deadline: deadlineIn(typed.hours) }));
    });
  };
  const faults = isTried && 'faults' in read ? read.faults : NONE;
  return (
    <Panel title={kind === 'package' ? 'What, where, for how much' : 'What, in which steps, for how much'}>
      <form
        ref={element}
        noValidate
        className={form.step}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Fields typed={typed} change={change} faults={faults} />
        <PresetChoice typed={typed} change={change} faults={faults} hasArbiter={arbiterPubkey !== null} />
        {!('faults' in read) && <Summary typed={typed} read={read} />}
        {session && kind === 'package' && typed.preset !== 'plain' && <Wordless {...session} />}
        <Action doing={doing}>{isSigned ? 'Send it again' : 'Sign and list it'}</Action>
        <Told doing={doing} />
      </form>
    </Panel>
  );
}

const NONE: Faults = {};
