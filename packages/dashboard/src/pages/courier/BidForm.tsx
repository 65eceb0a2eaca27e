import { type Coordinate, greatCircleKm } from '@legwork/protocol/rules';
import type { OpenWork } from '@legwork/protocol/contract';
import { ensureReputation, formatSol } from '@legwork/sdk';
import { useState } from 'react';
import { ledgerRpc } from '../../data/ledger.js';
import { service, useRead } from '../../data/service.js';
import { Labelled } from '../../wallet/Labelled.js';
import { Told } from '../../wallet/Connect.js';
import form from '../../wallet/form.module.css';
import { actingFor, type Session } from '../../wallet/session.js';
import { useDoing } from '../../wallet/useDoing.js';
import { AskedBack } from '../../wallet/AskedBack.js';
import { readNumber } from '../post/draft.js';

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
      Bid on it
    </button>
  );
}

/** Offers to carry a parcel all its way, at the price of the like, which can be changed. */
function Bid({ of, way, session }: Props) {
  const doing = useDoing();
  const [typed, setTyped] = useState<string>();
  const { data: quote } = useRead('quote', {
    originLat: way.from.lat,
    originLng: way.from.lng,
    destLat: way.to.lat,
    destLng: way.to.lng,
    ...(of.weightKg !== null && { weightKg: of.weightKg }),
  });
  const { maxPayLamports: most, stakeLamports } = of;
  const expected = quote?.expectedLamports ?? most;
  const price = typed ?? formatSol(expected < most ? expected : most);
  const bid = async () => {
    const costSol = readNumber(price, 'what you ask, in SOL');
    if (typeof costSol === 'string') throw new Error(costSol);
    await makeBid({ of, way, session }, costSol);
    return 'Your bid stands. If you are chosen, the parcel is among your legs above, to be accepted.';
  };
  return (
    <div className={form.step}>
      <Labelled label="You ask, SOL" fault={undefined}>
        {(aria) => (
          <input {...aria} inputMode="decimal" value={price} onChange={({ target }) => setTyped(target.value)} />
        )}
      </Labelled>
      {doing.done === undefined && (
        <AskedBack
          label="Bid"
          doing={doing}
          question={{
            says:
              `If your bid is chosen, you are paid what you ask or more, once the parcel is handed over. ` +
              (stakeLamports > 0n
                ? `To accept you lock ${formatSol(stakeLamports)} SOL, which you lose if you do not bring it in time. A first bid opens your record on the ledger, for about 0.0013 SOL of rent.`
                : 'It binds you to nothing until then.'),
          }}
          yes="Yes, bid"
          onMake={() => doing.run('Waiting for your wallet to sign.', bid)}
        />
      )}
      <Told doing={doing} />
    </div>
  );
}

/** Who works under terms has a reputation on the ledger. */
async function makeBid({ of, way, session }: Props, costSol: number): Promise<void> {
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
    costSol,
  });
}
