import { useSearchParams } from 'wouter';
import { useRead } from '../../data/service.js';
import { AgentLink } from '../../ui/AgentLink.js';
import { Panel } from '../../ui/Panel.js';
import { Title } from '../../ui/Title.js';
import { Action, Told } from '../../wallet/Action.js';
import form from '../../wallet/form.module.css';
import type { Session } from '../../wallet/session.js';
import { useDoing } from '../../wallet/useDoing.js';
import { join, type Shared, type Subject } from './makeMove.js';

/** A move that the address asks for, which the other side has begun. */
export function CoSign({ session }: { session: Session | undefined }) {
  const [search] = useSearchParams();
  const [packageId, legId, given, percent] = ['package', 'leg', 'action', 'percent'].map((name) => search.get(name));
  const offer = search.get('offer') ?? '';
  const action = (['take', 'agree'] as const).find((one) => one === given);
  const parcel = useRead('getPackage', packageId && action ? { packageId } : 'nothing');
  const leg = parcel.data?.swarm?.legs.find(({ id }) => id === legId);
  if (!action || !parcel.data || !leg) return null;
  const shared: Shared = action === 'agree' ? { action, percent: Number(percent) } : { action };
  return <Asked session={session} subject={{ parcel: parcel.data, leg }} shared={shared} offer={offer} />;
}

interface Props {
  readonly session: Session | undefined;
  readonly subject: Subject;
  readonly shared: Shared;
  /** The other half; empty: the service has it. */
  readonly offer: string;
}

function Asked({ session, subject, shared, offer }: Props) {
  const doing = useDoing();
  const { parcel, leg } = subject;
  const courier = <AgentLink pubkey={leg.agentPubkey} />;
  const sign = async (by: Session) => {
    await join(by, subject, shared, offer);
    return 'Done: the ledger has it.';
  };
  return (
    <Panel title="To be signed by two">
      <div className={form.step}>
        <Title page="package" id={parcel.id} text={parcel.description} />
        <p>
          {shared.action === 'agree' ? (
            <>
              {courier} gets {shared.percent} % of what leg {leg.legIndex + 1} pays, and both sides get their stakes
              back.
            </>
          ) : (
            <>
              {courier} picks the parcel up for leg {leg.legIndex + 1}: the shipper has handed it over.
            </>
          )}
        </p>
        {session ? (
          <Action doing={doing} onPress={() => doing.run('Waiting for your wallet to sign.', () => sign(session))}>
            Sign
          </Action>
        ) : (
          <p>Connect the wallet that signs it.</p>
        )}
        <Told doing={doing} />
      </div>
    </Panel>
  );
}
