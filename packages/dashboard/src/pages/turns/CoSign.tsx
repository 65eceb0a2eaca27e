import { useSearchParams } from 'wouter';
import { useRead } from '../../data/service.js';
import { AgentLink } from '../../ui/AgentLink.js';
import { Panel } from '../../ui/Panel.js';
import { Title } from '../../ui/Title.js';
import { Action, Told } from '../../wallet/Action.js';
import form from '../../wallet/form.module.css';
import type { Session } from '../../wallet/session.js';
import { useDoing } from '../../wallet/useDoing.js';
import { reread, signBegun, type Subject } from './makeMove.js';

/** A move that somebody else began and sent as a link. */
export function CoSign({ session }: { session: Session | undefined }) {
  const [search] = useSearchParams();
  const [packageId, legId, given, transaction] = ['package', 'leg', 'action', 'transaction'].map((name) =>
    search.get(name),
  );
  // What two sign, and nothing else: the words below are about that.
  const action = (['take', 'agree'] as const).find((one) => one === given);
  const parcel = useRead('getPackage', packageId && transaction ? { packageId } : 'nothing');
  const leg = parcel.data?.swarm?.legs.find(({ id }) => id === legId);
  if (!action || !transaction || !parcel.data || !leg) return null;
  const begun = { action, transaction, percent: Number(search.get('percent')) };
  return <Begun session={session} subject={{ parcel: parcel.data, leg }} begun={begun} />;
}

interface Props {
  readonly session: Session | undefined;
  readonly subject: Subject;
  readonly begun: Parameters<typeof signBegun>[2];
}

function Begun({ session, subject, begun }: Props) {
  const doing = useDoing();
  const { parcel, leg } = subject;
  const courier = <AgentLink pubkey={leg.agentPubkey} />;
  const sign = async () => {
    const { missing } = await signBegun(session as Session, subject, begun);
    await reread(parcel.id);
    return missing.length === 0 ? undefined : `It is still to be signed by ${missing.join(' and ')}.`;
  };
  return (
    <Panel title="You are asked to sign">
      <div className={form.step}>
        <Title page="package" id={parcel.id} text={parcel.description} />
        <p>
          {begun.action === 'agree' ? (
            <>
              {courier} gets {begun.percent} % of what leg {leg.legIndex + 1} pays, and both sides their stakes.
            </>
          ) : (
            <>
              {courier} picks it up for leg {leg.legIndex + 1}, and you have handed it over.
            </>
          )}
        </p>
        {session ? (
          <Action doing={doing} onPress={() => doing.run('Waiting for your wallet to sign.', sign)}>
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
