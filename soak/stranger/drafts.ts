import type { DigitalTaskDraft, PackageDraft } from '@legwork/sdk';
import { NEAR_DEADLINE_SEC } from '../journey.js';

/** What everything that the stranger posts says, by which the soak knows it again. */
export const STRANGE = 'Nobody asked for this.';

/** Hardly more than an agent can receive. */
const SMALL_SOL = 0.02;
/** Longer than the soak: nobody's time runs out while the books are compared. */
const PATIENT_SEC = 1_800;

/** So much of the ledger's time may pass while the listing is under way: several deadlines of the honest. */
export const STRANGE_DEADLINE_SEC = 3 * NEAR_DEADLINE_SEC;

const deadlineAt = (now: number) => new Date((now + STRANGE_DEADLINE_SEC) * 1000).toISOString();

/** From the Reichstag to the Oberbaum bridge. */
export const JOURNEY = {
  from: { lat: 52.5186, lng: 13.3763 },
  to: { lat: 52.5019, lng: 13.4458 },
};

/** @param now - by the ledger's clock, in Unix seconds */
export function strangePackage(now: number, maxBudgetSol = SMALL_SOL): PackageDraft {
  return {
    originLat: JOURNEY.from.lat,
    originLng: JOURNEY.from.lng,
    destLat: JOURNEY.to.lat,
    destLng: JOURNEY.to.lng,
    description: STRANGE,
    weightKg: 1,
    volumeLitres: 1,
    maxBudgetSol,
    deadline: deadlineAt(now),
  };
}

/** @param now - by the ledger's clock, in Unix seconds */
export function strangeTask(now: number, legs: number, maxBudgetSol = SMALL_SOL): DigitalTaskDraft {
  return {
    title: STRANGE,
    description: STRANGE,
    legs: Array.from({ length: legs }, (_, index) => ({ instruction: `Do part ${index + 1}.` })),
    maxBudgetSol,
    claimTimeoutSec: PATIENT_SEC,
    deadline: deadlineAt(now),
  };
}
