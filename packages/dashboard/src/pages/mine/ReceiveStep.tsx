import { plainLegToReceive } from '@legwork/protocol/rules';
import { type Leg, type PackageDetail, receive } from '@legwork/sdk';
import { ledgerRpc } from '../../data/ledger.js';
import { keyOf, queries } from '../../data/service.js';
import { Told } from '../../wallet/Connect.js';
import { actingFor, type Session } from '../../wallet/session.js';
import { useDoing } from '../../wallet/useDoing.js';
import { CONFIRM_PARCEL } from '../turns/actionWords.js';
import { AskedBack } from '../../wallet/AskedBack.js';
import { amountIn, t } from '../../language.js';

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
  const pays = leg && amountIn(leg.agreedPayment, parcel);
  return (
    <>
      {leg && (
        <AskedBack
          label={t(CONFIRM_PARCEL)}
          doing={doing}
          question={{
            says: t(
              'It pays {pays} from escrow to {courier}, the courier of leg {number}, and cannot be undone. ' +
                'Confirm only once the parcel is in your hands.',
              { pays: pays ?? '', courier: leg.agentPubkey, number: leg.legIndex + 1 },
            ),
          }}
          yes={t('Yes, pay {amount}', { amount: pays ?? '' })}
          onMake={() => doing.run(t('Waiting for your wallet to sign.'), () => receiveAt(leg, { parcel, session }))}
        />
      )}
      <Told doing={doing} />
    </>
  );
}

async function receiveAt({ legIndex }: Leg, { parcel: { id: packageId }, session }: Props): Promise<string> {
  const { client, signer } = actingFor(session);
  const { rpc } = await ledgerRpc();
  const { open } = await receive(client, signer, { packageId }, { rpc });
  const names = ['getPackage', 'getPackageMoney', 'listAgentLegs', 'listPackages'] as const;
  await Promise.all(names.map((name) => queries.invalidateQueries({ queryKey: keyOf(name) })));
  const number = legIndex + 1;
  return open === null
    ? t('Done. It is on the ledger, and the courier of leg {number} is paid.', { number })
    : t('Done. It is on the ledger, and the courier of leg {number} is paid; still open: {what} ({why}).', {
        number,
        what: t(open.what),
        why: open.why.message,
      });
}
