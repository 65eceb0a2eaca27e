import { isCosignedPickup } from '@legwork/protocol/rules';
import type { PackageDetail } from '@legwork/sdk';
import { type ReactNode, useState } from 'react';
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
import { rich, t } from '../../language.js';

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
          {t('The first courier has not accepted yet. Keep the parcel until then; you hand it over here.')}
        </p>
      )}
      <p role="status" className={has ? form.notice : undefined}>
        {has &&
          rich(
            '<b>The courier has the parcel.</b> It is on the ledger: let it go now. {courier} is liable for it with its stake.',
            { courier: <AgentLink pubkey={first.agentPubkey} />, b: strong },
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
        {rich(
          '{courier} has accepted and is coming for the parcel. When the courier is in front of you, sign and let them scan the code. <b>Keep the parcel until this page says that the courier has it</b>: until then they could leave with it and lose nothing.',
          { courier: <AgentLink pubkey={leg.agentPubkey} />, b: strong },
        )}
      </p>
      {code === undefined ? (
        <div className={door.big}>
          <Action doing={doing} onPress={() => doing.run(t('Waiting for your wallet to sign.'), sign)}>
            {t('Hand it over')}
          </Action>
        </div>
      ) : (
        <Code of={code} />
      )}
      <p role="status" className={code === undefined ? undefined : form.notice}>
        {code !== undefined &&
          rich('<b>Do not let the parcel go yet.</b> Waiting for the ledger to show that the courier has it.', {
            b: strong,
          })}
      </p>
      <Told doing={doing} />
    </div>
  );
}

const strong = (inside: ReactNode) => <strong>{inside}</strong>;

/** What the courier's camera looks at, until the ledger has it. */
function Code({ of }: { of: string }) {
  return (
    <>
      <img className={door.qr} src={qrImage(of)} alt={t("The code, for the courier's camera")} />
      <p className={form.hint}>
        {t(
          "If the courier's camera does not work, their phone also finds your signature by itself, or they can paste the code:",
        )}{' '}
        <CopyButton value={of} label={t('Copy the code')} />
      </p>
    </>
  );
}
