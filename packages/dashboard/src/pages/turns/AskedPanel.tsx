import { useSearchParams } from 'wouter';
import { AgentLink } from '../../ui/AgentLink.js';
import { Panel } from '../../ui/Panel.js';
import { Title } from '../../ui/Title.js';
import { Action, Told } from '../../wallet/Action.js';
import form from '../../wallet/form.module.css';
import type { Session } from '../../wallet/session.js';
import { useDoing } from '../../wallet/useDoing.js';
import { Evidence } from './Evidence.js';
import { join, type Shared } from './makeMove.js';
import { type Subject, useSubject } from './subject.js';

/** What the address asks for: to sign a move which the other side has begun, or to read the evidence of a leg. */
export function AskedPanel({ session }: { session: Session | undefined }) {
  const [search] = useSearchParams();
  const kind = search.has('task') ? 'task' : 'package';
  const action = (['take', 'agree', 'read'] as const).find((one) => one === search.get('action'));
  const { data: subject } = useSubject(kind, action ? search.get(kind) : null, search.get('leg'));
  if (!action || !subject) return null;
  return (
    <Panel title={action === 'read' ? `Evidence of leg ${subject.leg.legIndex + 1}` : 'To be signed by two'}>
      <div className={form.step}>
        <Title page={kind} id={subject.id} text={subject.text} />
        {action !== 'read' && <Said by={subject} action={action} percent={search.get('percent')} />}
        {!session && <p>Connect the wallet that signs it.</p>}
        {session && action === 'read' && <Evidence session={session} subject={subject} />}
        {session && action !== 'read' && (
          <Sign
            session={session}
            subject={subject}
            shared={action === 'agree' ? { action, percent: Number(search.get('percent')) } : { action }}
            offer={search.get('offer') ?? ''}
          />
        )}
      </div>
    </Panel>
  );
}

/** What is signed, in a sentence. */
function Said({ by: { leg }, action, percent }: { by: Subject; action: Shared['action']; percent: string | null }) {
  const worker = leg.agentPubkey && <AgentLink pubkey={leg.agentPubkey} />;
  return (
    <p>
      {worker}
      {action === 'agree'
        ? ` gets ${percent} % of what leg ${leg.legIndex + 1} pays, and both sides get their stakes back.`
        : ` picks the parcel up for leg ${leg.legIndex + 1}: the shipper has handed it over.`}
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
  const sign = async () => {
    await join(session, subject, shared, offer);
    return 'Done: the ledger has it.';
  };
  return (
    <>
      <Action doing={doing} onPress={() => doing.run('Waiting for your wallet to sign.', sign)}>
        Sign
      </Action>
      <Told doing={doing} />
    </>
  );
}
