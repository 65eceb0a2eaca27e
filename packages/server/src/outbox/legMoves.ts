import { LegStatus } from '@legwork/program-client';
import type { AppContext } from '../context.js';
import { chosenOpeningBid } from '../db/decisions.js';
import { findBoundLeg, findLeg, isClocked } from '../legs/moveRows.js';
import { excludeBid, reopen } from '../legs/openingRows.js';
import { finishIntent, type LeasedIntent } from '../db/outbox.js';
import type { LegRow, PackageRow } from '../db/schema.js';
import type { SwarmWithLegs } from '../packages/swarmRows.js';
import { inTransaction } from '../db/transaction.js';
import { readLegAccount } from '../ledger/accounts.js';
import {
  confirmLegInstruction,
  replaceCourierInstruction,
  ruleInstruction,
  vacateInstruction,
} from '../ledger/moveInstructions.js';
import { PERCENT_BY_SILENCE } from '@legwork/protocol/rules';
import { endingIntent } from './exits.js';
import { type IntentHandler, nothingLeft } from './intentHandler.js';
import { verifyDecision } from './verifyDecision.js';

/** The vacant leg and the bid that an intent is about. */
function opening({ id, payload }: LeasedIntent): { vacantLegId: string; bidId: string } {
  if ('vacantLegId' in payload) return payload;
  throw new Error(`intent ${id} is about no vacant leg`);
}

/** A leg of a package that another courier may get. */
interface Vacancy {
  parcel: PackageRow;
  swarm: SwarmWithLegs;
  leg: LegRow;
}

async function legAt({ db }: AppContext, legId: string): Promise<Vacancy> {
  const of = await findLeg(db, legId);
  if (of === undefined) throw new Error(`there is no leg ${legId}`);
  return of;
}

/** The program had it from somebody else, or no more couriers are taken. */
const OVER: ReadonlySet<string | undefined> = new Set(['InvalidStatus', 'DeadlinePassed']);

/** Gives a vacant leg to another courier. What the program refuses is not chosen again. Rules T-26 to T-29. */
export const assignLegIntent: IntentHandler = {
  policy: { tries: 10, surprises: 50 },

  async instructions(context, intent) {
    const { vacantLegId, bidId } = opening(intent);
    const of = await legAt(context, vacantLegId);
    if (!isOpen(of)) return undefined;
    const bid = await chosenOpeningBid(context.db, bidId);
    if (bid === undefined) throw new Error(`intent ${intent.id} names a bid that does not exist`);
    await verifyDecision(context, intent, { opening: of, bid });
    return { about: of.parcel, instructions: [await replaceCourierInstruction(context.ledger, of, bid)] };
  },

  async refused(context, intent, { reason, relayError }) {
    const { vacantLegId, bidId } = opening(intent);
    const of = await legAt(context, vacantLegId);
    if (!isOpen(of)) return nothingLeft(context, intent);
    const account = await readLegAccount(context.ledger, of.leg.on_chain_leg);
    if (account?.status !== LegStatus.Vacant && !OVER.has(relayError)) {
      throw new Error(`the ledger shows leg ${vacantLegId} with a courier and does not show who gave it`);
    }
    await inTransaction(context.db, async (trx) => {
      if (!OVER.has(relayError)) await excludeBid(trx, bidId);
      await reopen(trx, vacantLegId);
      await finishIntent(trx, intent, reason);
    });
    context.wakers.keeper.wake();
    context.log.warn({ legId: vacantLegId, bidId, reason }, 'replacement refused');
  },
};

function isOpen(of: Vacancy): boolean {
  return of.parcel.status === 'in_transit' && of.leg.stage === 'vacant' && of.leg.ended_at === null;
}

/** A leg whose clock has ended, as it was when that was decided. */
async function overdueLeg({ db }: AppContext, { id, payload }: LeasedIntent) {
  if (!('overdueLegId' in payload)) throw new Error(`intent ${id} is about no leg`);
  const found = await findBoundLeg(db, payload.overdueLegId);
  if (found === undefined) throw new Error(`there is no leg ${payload.overdueLegId}`);
  return { ...found, since: payload.since };
}

type Overdue = Awaited<ReturnType<typeof overdueLeg>>;

/** Carries out what silence has decided: pays, ends a dispute, or vacates. It is open to everybody, and so takes no decision. */
export const crankLegIntent: IntentHandler = endingIntent<Overdue>({
  subject: overdueLeg,
  listing: ({ listing }) => listing,
  isOver: ({ isOver, of, since }) =>
    isOver !== undefined ||
    of === undefined ||
    !isClocked(of.leg) ||
    of.leg.since.toISOString() !== since ||
    !CRANKED.has(of.leg.stage),
  async instruction({ ledger }, { of }) {
    const { coordinator } = ledger;
    if (of === undefined) return undefined;
    if (of.leg.stage === 'claimed' || of.leg.stage === 'ruled') return confirmLegInstruction(ledger, of, coordinator);
    if (of.leg.stage === 'disputed') {
      return ruleInstruction(ledger, of, { signer: coordinator, percent: PERCENT_BY_SILENCE, by: 'silence' });
    }
    return vacateInstruction(ledger, of, coordinator);
  },
});

/** Stages that everybody may end in time. Who carries the parcel is left to the shipper. */
const CRANKED: ReadonlySet<string> = new Set(['pending', 'accepted', 'claimed', 'disputed', 'ruled']);
