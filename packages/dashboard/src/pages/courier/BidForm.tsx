import { type Coordinate, greatCircleKm } from '@legwork/protocol/rules';
import type { OpenWork } from '@legwork/protocol/contract';
import { ensureReputation, isInSol, parseAmount } from '@legwork/sdk';
import { useState } from 'react';
import { ledgerRpc } from '../../data/ledger.js';
import { service, useRead } from '../../data/service.js';
import { Labelled } from '../../wallet/Labelled.js';
import { Told } from '../../wallet/Connect.js';
import form from '../../wallet/form.module.css';
import { actingFor, type Session } from '../../wallet/session.js';
import { useDoing } from '../../wallet/useDoing.js';
import { AskedBack } from '../../wallet/AskedBack.js';
import { readNumber, withPoint } from '../post/draft.js';
import { amountIn, figureIn, t } from '../../language.js';

interface Props {
  readonly of: OpenWork;
  readonly way: { readonly from: Coordinate; readonly to: Coordinate };
  readonly session: Session;
}

/** Of a great circle: roads are longer, and a bid names a length that is carried. */
const KM_PER_HOUR = 25;
const MINUTES = 60;

/** A bid, for who wants one: a list of parcels asks for no price of each. */
export default function BidForm(props: Props) {
  const [isOpen, setIsOpen] = useState(false);
  if (isOpen) return <Bid {...props} />;
  return (
    <button type="button" className={form.button} onClick={() => setIsOpen(true)}>
      {t('Bid on it')}
    </button>
  );
}

/** Offers to carry a parcel all its way, at the price of the like, which can be changed. */
function Bid({ of, way, session }: Props) {
  const doing = useDoing();
  const [typed, setTyped] = useState<string>();
  const { data: quote } = useRead('quote', isInSol(of) ? wishOf({ of, way }) : 'nothing');
  const { maxPay: most, stake, asset } = of;
  const unit = isInSol(of) ? 'SOL' : asset.toUpperCase();
  const expected = quote?.expectedLamports ?? most;
  const price = typed ?? figureIn(expected < most ? expected : most, of.decimals);
  const bid = async () => {
    const read = readNumber(price, t('your price in {unit}', { unit }));
    if (typeof read === 'string') throw new Error(read);
    await makeBid(
      { of, way, session },
      isInSol(of) ? { costSol: read } : { cost: String(parseAmount(withPoint(price), of)) },
    );
    return t('Your bid is placed. If it wins, the leg appears above for you to accept.');
  };
  return (
    <div className={form.step}>
      <Labelled label={t('Your price, {unit}', { unit })} fault={undefined}>
        {(aria) => (
          <input {...aria} inputMode="decimal" value={price} onChange={({ target }) => setTyped(target.value)} />
        )}
      </Labelled>
      {doing.done === undefined && (
        <AskedBack
          label={t('Bid')}
          doing={doing}
          question={{
            says:
              stake > 0n
                ? t(
                    'If your bid wins, you are paid your price or more once you hand the parcel over. To accept the leg you stake {stake}, which you lose if you are late. Your first bid opens your record on the ledger, for about 0.0013 SOL of rent.',
                    { stake: amountIn(stake, of) },
                  )
                : t(
                    'If your bid wins, you are paid your price or more once you hand the parcel over. Until then the bid does not bind you.',
                  ),
          }}
          yes={t('Yes, bid')}
          onMake={() => doing.run(t('Waiting for your wallet to sign.'), bid)}
        />
      )}
      <Told doing={doing} />
    </div>
  );
}

type Cost = { readonly costSol: number } | { readonly cost: string };

const wishOf = ({ of, way }: Pick<Props, 'of' | 'way'>) => ({
  originLat: way.from.lat,
  originLng: way.from.lng,
  destLat: way.to.lat,
  destLng: way.to.lng,
  ...(of.weightKg !== null && { weightKg: of.weightKg }),
});

/** Who works under terms has a reputation on the ledger. */
async function makeBid({ of, way, session }: Props, cost: Cost): Promise<void> {
  const { client, signer } = actingFor(session);
  const packageId = of.packageId ?? '';
  if (of.hasTerms) {
    const { rpc } = await ledgerRpc();
    await ensureReputation(client, rpc, signer, await service.getPackage({ packageId }));
  }
  const distanceKm = greatCircleKm(way.from, way.to);
  await client.submitBid({
    packageId,
    ...(of.legId !== null && { legId: of.legId }),
    agentPubkey: signer.address,
    pickupLat: way.from.lat,
    pickupLng: way.from.lng,
    dropoffLat: way.to.lat,
    dropoffLng: way.to.lng,
    distanceKm,
    estimatedDurationMin: Math.ceil((distanceKm / KM_PER_HOUR) * MINUTES),
    ...cost,
  });
}
