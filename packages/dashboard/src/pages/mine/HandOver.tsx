import { isCosignedPickup } from '@legwork/protocol/rules';
import type { PackageDetail } from '@legwork/sdk';
import { useState } from 'react';
import door from '../../door/door.module.css';
import { qrImage } from '../../door/qr.js';
import { AgentLink } from '../../ui/AgentLink.js';
import { CopyButton } from '../../ui/Key.js';
import { Action, Told } from '../../wallet/Connect.js';
import form from '../../wallet/form.module.css';
import type { Session } from '../../wallet/session.js';
import { useDoing } from '../../wallet/useDoing.js';
import { move } from '../turns/makeMove.js';
import { useSubject } from '../turns/subject.js';

type Leg = NonNullable<PackageDetail['swarm']>['legs'][number];

interface Props {
  readonly parcel: PackageDetail;
  readonly session: Session;
}

/** The first pickup, which its shipper signs where the terms say so. Rule D-93. */
export function HandOver({ parcel, session }: Props) {
  const [first] = parcel.swarm?.legs ?? [];
  const isCosigned = parcel.terms !== null && isCosignedPickup(0, parcel.terms);
  if (parcel.status !== 'in_transit' || !first || !isCosigned) return null;
  // A code is of one courier: another one needs another.
  const key = `${first.id} ${first.formation}`;
  const has = first.stage === 'carried';
  return (
    <>
      {first.stage === 'accepted' && <Accepted key={key} parcel={parcel} leg={first} session={session} />}
      {first.stage === 'pending' && (
        <p className={form.hint}>
          The courier of the first leg has not accepted yet. Once it has, you hand the parcel over here: keep it until
          then.
        </p>
      )}
      <p role="status" className={has ? form.notice : undefined}>
        {has && (
          <>
            <strong>The courier has it.</strong> The ledger says so: now let it go.{' '}
            <AgentLink pubkey={first.agentPubkey} /> answers for the parcel with its stake.
          </>
        )}
      </p>
    </>
  );
}

function Accepted({ parcel, leg, session }: Props & { leg: Leg }) {
  const doing = useDoing();
  const [code, setCode] = useState<string>();
  const subject = useSubject('package', parcel.id, leg.id).data;
  if (!subject) return null;
  const sign = async () => {
    const said = { action: 'take', text: '', percent: undefined, evenBeforePickup: false } as const;
    setCode((await move(session, subject, said))?.offer);
  };
  return (
    <div className={form.step}>
      <p>
        <AgentLink pubkey={leg.agentPubkey} /> has accepted and comes for the parcel. When the courier stands before
        you, sign, and let its phone scan the code.{' '}
        <strong>Keep the parcel until this page says that the courier has it</strong>: until then it could leave with
        the parcel and lose nothing.
      </p>
      {code === undefined ? (
        <div className={door.big}>
          <Action doing={doing} onPress={() => doing.run('Waiting for your wallet to sign.', sign)}>
            Hand it over
          </Action>
        </div>
      ) : (
        <Code of={code} />
      )}
      <p role="status" className={code === undefined ? undefined : form.notice}>
        {code !== undefined && (
          <>
            <strong>Do not let it go yet.</strong> Waiting until the ledger says that the courier has it.
          </>
        )}
      </p>
      <Told doing={doing} />
    </div>
  );
}

/** What the courier's camera looks at, until the ledger has it. */
function Code({ of }: { of: string }) {
  return (
    <>
      <img className={door.qr} src={qrImage(of)} alt="The code, for the courier's camera" />
      <p className={form.hint}>
        The courier's camera does not work? It finds what you signed by itself too, or type it in:{' '}
        <CopyButton value={of} label="Copy the code" />
      </p>
    </>
  );
}
