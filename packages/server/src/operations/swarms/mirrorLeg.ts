import { type operations, RelayError } from '@legwork/protocol/contract';
import { readFinality } from '../../db/finality.js';
import { packageSubject } from '../../db/subjects.js';
import { recipientsOf } from '../../ledger/packageInstructions.js';
import { catchUp } from '../../mirror/applyLanded.js';
import type { LegInSwarm } from '../../mirror/package.js';
import { requireNotHalted } from '../guards.js';
import { PACKAGE } from '../packages/guards.js';
import type { Run } from '../run.js';
import { requireLeg } from './guards.js';

export const mirrorLeg: Run<typeof operations.mirrorLeg> = async (context, { legId, agentPubkey }) => {
  const found = await requireLeg(context.db, legId);
  const recipients = recipientsOf(found.swarm, found.leg, found.parcel);
  const [recipientPubkey] = recipients;
  requireParty(found, recipients, agentPubkey);
  await requireNotHalted(context.db, PACKAGE, found.parcel.id, 'legId');
  if (found.leg.status === 'pending') await catchUp(context, found.parcel.on_chain_package);
  const { leg, swarm, parcel } = await requireLeg(context.db, legId);
  if (leg.status === 'pending') throw notConfirmed({ leg, swarm, parcel }, recipientPubkey);
  return {
    answer: {
      legId: leg.id,
      status: leg.status,
      finality: await readFinality(context.db, packageSubject(swarm.package_id), leg.confirm_signature),
      swarmStatus: swarm.status,
      confirmSignature: leg.confirm_signature,
      settleSignature: swarm.settle_signature,
      recipientPubkey,
    },
  };
};

/** @throws RelayError `wrong_recipient` unless the agent hands the parcel over or receives it */
function requireParty({ leg }: LegInSwarm, recipients: readonly string[], agentPubkey: string): void {
  if (agentPubkey === leg.agent_pubkey || recipients.includes(agentPubkey)) return;
  throw RelayError.field(
    'wrong_recipient',
    'agentPubkey',
    `this leg is carried by ${leg.agent_pubkey} and confirmed by ${recipients.join(' or ')}; give one of them`,
  );
}

function notConfirmed({ leg, swarm }: LegInSwarm, recipient: string): RelayError {
  const way =
    swarm.status === 'active'
      ? `${recipient} signs and sends the transaction that POST /swarms/legs/${leg.id}/build-confirm-tx answers`
      : `its swarm is ${swarm.status}, and legs are confirmed, by ${recipient}, while it is active`;
  return RelayError.field('not_confirmed_on_chain', 'legId', `the ledger shows no confirmation of this leg; ${way}`);
}
