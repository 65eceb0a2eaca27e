import type { PackageDetail } from '@legwork/sdk';
import type { Decision } from '../../checks/auction.js';
import type { Money } from '../../checks/vault.js';
import { asText, escrowChecks } from '../../data/escrowChecks.js';
import { service } from '../../data/service.js';
import type { PageCheck } from '../../ui/Checks.js';
import { chooseAndCompare, UNASKED_UP_TO } from './askAuction.js';
import { claimsOf } from './claims.js';

/** Every check of a package's page, of what is known of it. */
export function checksOf(
  parcel: PackageDetail,
  money: Money | undefined,
  decision: Decision | undefined,
): readonly PageCheck[] {
  const read = () => service.getPackageMoney({ packageId: parcel.id });
  const replaced = new Set(decision?.replacements.map(({ legId }) => legId));
  const escrow = money ? escrowChecks(money, claimsOf(parcel, money, replaced), read) : [];
  return [
    ...(decision?.considered ? [auctionCheck(parcel, decision)] : []),
    ...escrow,
    ...(parcel.erasedAt || !parcel.documentKnown ? [] : [termsCheck(parcel)]),
  ];
}

function auctionCheck(parcel: PackageDetail, decision: Decision): PageCheck {
  // What changes while the legs are carried was not chosen.
  const legs = parcel.swarm?.legs.map((leg) => {
    const { agentPubkey, pickupLat, pickupLng, dropoffLat, dropoffLng, cost, agreedPayment } = leg;
    return [agentPubkey, pickupLat, pickupLng, dropoffLat, dropoffLng, cost, agreedPayment];
  });
  return {
    id: 'auction',
    of: asText([decision.swarmId, decision.considered, decision.chosen, decision.replacements, legs]),
    make: () => chooseAndCompare(decision, parcel),
    isLong: (decision.considered?.length ?? 0) > UNASKED_UP_TO,
  };
}

function termsCheck(parcel: PackageDetail): PageCheck {
  const { description, originLat, originLng, destLat, destLng, weightKg, volumeLitres } = parcel;
  const { termsHash, requirements, salt, privateHashes } = parcel;
  const terms = [
    description,
    originLat,
    originLng,
    destLat,
    destLng,
    weightKg,
    volumeLitres,
    termsHash,
    salt,
    privateHashes,
    parcel.terms,
    requirements,
  ];
  const facts = [parcel.maxBudget, parcel.deadline, parcel.shipperPubkey, parcel.funderPubkey];
  const make = async () => (await import('../../data/termsOnLedger.js')).packageOnLedger(parcel);
  return { id: 'terms', of: asText([terms, facts]), make };
}
