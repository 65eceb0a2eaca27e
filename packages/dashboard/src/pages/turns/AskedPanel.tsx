import { ruledPayment } from '@legwork/protocol/rules';
import { type ReactNode, useState } from 'react';
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
import { rich, t } from '../../language.js';

/** What the address asks for: to sign a move which the other side has begun, or to read the evidence of a leg. */
export function AskedPanel({ session }: { session: Session | undefined }) {
  const [search] = useSearchParams();
  const kind = search.has('task') ? 'task' : 'package';
  const action = (['take', 'agree', 'read'] as const).find((one) => one === search.get('action'));
  const { data: subject } = useSubject(kind, action ? search.get(kind) : null, search.get('leg'));
  if (!action || !subject) return null;
  const shared = action === 'read' ? undefined : sharedOf(action, search);
  return (
    <Panel
      title={
        action === 'read'
          ? t('Evidence of leg {number}', { number: subject.leg.legIndex + 1 })
          : t('Two signatures needed')
      }
    >
      <div className={form.step}>
        <Title page={kind} id={subject.id} text={subject.text} />
        {shared && <Said by={subject} shared={shared} />}
        {!session && <p>{t('Connect the wallet to sign with.')}</p>}
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
        {rich<ReactNode>('{worker} picks the parcel up for leg {number}, and the shipper signs that too.', {
          worker,
          number: leg.legIndex + 1,
        })}
      </p>
    );
  }
  if (percent === undefined) return <p>{t('This link has no whole percentage from 0 to 100. Ask for a new one.')}</p>;
  return (
    <p>
      {rich<ReactNode>(
        '{worker} gets {percent} % of what leg {number} pays, {amount}, and both sides get their stakes back.',
        {
          worker,
          percent,
          number: leg.legIndex + 1,
          amount: <Amount isExact of={of} amount={ruledPayment(payment, percent)} />,
        },
      )}
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
    return half === undefined ? t('Done. It is on the ledger.') : undefined;
  };
  return (
    <>
      {doing.done === undefined && (
        <AskedBack
          label={t('Sign')}
          doing={doing}
          question={action === 'agree' ? questionOfAgreement(subject, percent, session.account.address) : undefined}
          onMake={() => doing.run(t('Waiting for your wallet to sign.'), sign)}
        />
      )}
      <Told doing={doing} />
      <div role="status">{begun && <PassOn subject={subject} begun={begun} />}</div>
    </>
  );
}
