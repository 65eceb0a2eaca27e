import { ruledPayment } from '@legwork/protocol/rules';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { AgentLink } from '../../ui/AgentLink.js';
import { Amount } from '../../ui/Amount.js';
import { Panel } from '../../ui/Panel.js';
import { Title } from '../../ui/Title.js';
import { Told } from '../../wallet/Connect.js';
import form from '../../wallet/form.module.css';
import type { Session } from '../../wallet/session.js';
import { useDoing } from '../../wallet/useDoing.js';
import { AskedBack } from '../../wallet/AskedBack.js';
import { Evidence } from './Evidence.js';
import { type Begun, join, type Shared } from './makeMove.js';
import { PassOn } from './TurnPanel.js';
import { questionOfAgreement, readPercent } from './actionWords.js';
import { type Subject, useSubject } from './subject.js';

/** What the address asks for: to sign a move which the other side has begun, or to read the evidence of a leg. */
export function AskedPanel({ session }: { session: Session | undefined }) {
  const [search] = useSearchParams();
  const kind = search.has('task') ? 'task' : 'package';
  const action = (['take', 'agree', 'read'] as const).find((one) => one === search.get('action'));
  const { data: subject } = useSubject(kind, action ? search.get(kind) : null, search.get('leg'));
  if (!action || !subject) return null;
  const shared = action === 'read' ? undefined : sharedOf(action, search);
  return (
    <Panel title={action === 'read' ? `Evidence of leg ${subject.leg.legIndex + 1}` : 'Two signatures needed'}>
      <div className={form.step}>
        <Title page={kind} id={subject.id} text={subject.text} />
        {shared && <Said by={subject} shared={shared} />}
        {!session && <p>Connect the wallet to sign with.</p>}
        {session && action === 'read' && <Evidence session={session} subject={subject} />}
        {session && shared && (
          <Sign session={session} subject={subject} shared={shared} offer={search.get('offer') ?? ''} />
        )}
      </div>
    </Panel>
  );
}

const sharedOf = (action: Shared['action'], search: URLSearchParams): Shared =>
  action === 'agree' ? { action, percent: readPercent(search.get('percent')) } : { action };

/** What is signed, in a sentence. */
function Said({ by: { leg, payment, of }, shared: { action, percent } }: { by: Subject; shared: Shared }) {
  const worker = leg.agentPubkey && <AgentLink pubkey={leg.agentPubkey} />;
  if (action === 'take') {
    return (
      <p>
        {worker} picks the parcel up for leg {leg.legIndex + 1}, and the shipper signs that too.
      </p>
    );
  }
  if (percent === undefined) return <p>This link has no whole percentage from 0 to 100. Ask for a new one.</p>;
  return (
    <p>
      {worker} gets {percent} % of what leg {leg.legIndex + 1} pays,{' '}
      <Amount isExact of={of} amount={ruledPayment(payment, percent)} />, and both sides get their stakes back.
    </p>
  );
}

interface Props {
  readonly session: Session;
  readonly subject: Subject;
  readonly shared: Shared;
  /** The other half; empty: the service has it. */
  readonly offer: string;
}

function Sign({ session, subject, shared, offer }: Props) {
  const doing = useDoing();
  const [begun, setBegun] = useState<Begun>();
  const { action, percent } = shared;
  const sign = async () => {
    const half = await join(session, subject, shared, offer);
    setBegun(half);
    return half === undefined ? 'Done. It is on the ledger.' : undefined;
  };
  return (
    <>
      {doing.done === undefined && (
        <AskedBack
          label="Sign"
          doing={doing}
          question={action === 'agree' ? questionOfAgreement(subject, percent, session.account.address) : undefined}
          onMake={() => doing.run('Waiting for your wallet to sign.', sign)}
        />
      )}
      <Told doing={doing} />
      <div role="status">{begun && <PassOn subject={subject} begun={begun} />}</div>
    </>
  );
}
