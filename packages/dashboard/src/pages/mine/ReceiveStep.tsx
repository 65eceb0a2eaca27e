import { plainLegToReceive } from '@legwork/protocol/rules';
import { formatAmount, type Leg, type PackageDetail, receive, stillOpen } from '@legwork/sdk';
import { ledgerRpc } from '../../data/ledger.js';
import { keyOf, queries } from '../../data/service.js';
import { Told } from '../../wallet/Connect.js';
import { actingFor, type Session } from '../../wallet/session.js';
import { useDoing } from '../../wallet/useDoing.js';
import { CONFIRM_PARCEL } from '../turns/actionWords.js';
import { AskedBack } from '../../wallet/AskedBack.js';

interface Props {
  readonly parcel: PackageDetail;
  readonly session: Session;
}

/**
 * Who receives the parcel of a leg without terms, the next courier or at the end the shipper, says that it has it. That is all such a
 * leg waits for. Rule D-95.
 */
export function ReceiveStep({ parcel, session }: Props) {
  const doing = useDoing();
  const leg = plainLegToReceive(parcel, session.account.address);
  const pays = leg && formatAmount(leg.agreedPayment, parcel);
  return (
    <>
      {leg && (
        <AskedBack
          label={CONFIRM_PARCEL}
          doing={doing}
          question={{
            says:
              `It pays ${pays} from escrow to ${leg.agentPubkey}, the courier of leg ${leg.legIndex + 1}, and cannot be undone. ` +
              'Confirm only once the parcel is in your hands.',
          }}
          yes={`Yes, pay ${pays}`}
          onMake={() => doing.run('Waiting for your wallet to sign.', () => receiveAt(leg, { parcel, session }))}
        />
      )}
      <Told doing={doing} />
    </>
  );
}

async function receiveAt({ legIndex }: Leg, { parcel: { id: packageId }, session }: Props): Promise<string> {
  const { client, signer } = actingFor(session);
  const { rpc } = await ledgerRpc();
  const received = await receive(client, signer, { packageId }, { rpc });
  const names = ['getPackage', 'getPackageMoney', 'listAgentLegs', 'listPackages'] as const;
  await Promise.all(names.map((name) => queries.invalidateQueries({ queryKey: keyOf(name) })));
  return `Done. It is on the ledger, and the courier of leg ${legIndex + 1} is paid${stillOpen(received)}.`;
}
