import { formatSol } from '@legwork/sdk';
import type { PackageDetail, QueuedLeg } from '@legwork/sdk';
import { z } from 'zod';
import type { Session } from '../../wallet/session.js';
import { localTool } from '../localTool.js';

/** Something that the owner of the wallet has to do. */
interface Due {
  readonly do: string;
  readonly until: Date | null;
  readonly ifNot: string;
  /** Arguments of the tool that `do` names, and what else helps. */
  readonly about: Readonly<Record<string, unknown>>;
}

/** What is read of each kind; more is said, and not read. */
const MOST = 50;

export const dueNow = localTool({
  name: 'due_now',
  title: 'What you have to do now',
  description:
    'What waits for you, most urgent first: what to do with which tool, until when, and what it costs you to stay silent. Legs of ' +
    'packages and digital tasks that are yours, parcels that are brought to you, escrow that you can take back.',
  input: z.strictObject({}),
  readOnly: true,
  quotes: true,
  run: async (session) => {
    const [work, parcels, tasks] = await Promise.all([dueOfLegs(session), dueOfParcels(session), dueOfTasks(session)]);
    const due = [...work, ...parcels, ...tasks];
    due.sort((a, b) => (a.until?.getTime() ?? Infinity) - (b.until?.getTime() ?? Infinity));
    return { now: new Date(), due: due.slice(0, MOST), notShown: Math.max(0, due.length - MOST) };
  },
});

async function dueOfLegs({ client, signer }: Session): Promise<Due[]> {
  const agentPubkey = signer.address;
  const [pending, working] = await Promise.all([
    client.listAgentLegs({ agentPubkey, status: 'pending', limit: MOST }),
    client.listAgentLegs({ agentPubkey, status: 'in_progress', limit: MOST }),
  ]);
  const due: Due[] = working.items.flatMap((leg) => (leg.kind === 'digital' ? dueOfTaskLeg(leg) : []));
  for (const leg of pending.items) {
    if (leg.kind !== 'physical') continue;
    // Whose turn it is before this courier's is told by the package.
    const parcel =
      leg.isTurn || leg.takeOverLegId === null ? undefined : await client.getPackage({ packageId: leg.packageId });
    due.push(...dueOfPackageLeg(leg, parcel));
  }
  return due;
}

function dueOfTaskLeg(leg: Extract<QueuedLeg, { kind: 'digital' }>): Due[] {
  if (leg.hasResult) return [];
  const { taskId, id: legId, instruction, taskTitle, paymentPerLegLamports } = leg;
  return [
    {
      do: 'Do what instruction says and hand the result in: svc_complete_digital_leg. Or give the leg back: release_leg.',
      until: leg.dueAt,
      ifNot: `It pays nothing (${formatSol(paymentPerLegLamports)} SOL), stays among your accepted legs, and the task has no other leg for you.`,
      about: { taskId, legId, taskTitle, instruction },
    },
  ];
}

function dueOfPackageLeg(leg: Extract<QueuedLeg, { kind: 'physical' }>, parcel: PackageDetail | undefined): Due[] {
  const { packageId, packageDescription, pickupLat, pickupLng, dropoffLat, dropoffLng, recipientPubkey, deadline } =
    leg;
  const about = { packageId, packageDescription, pickupLat, pickupLng, dropoffLat, dropoffLng };
  const pays = `${formatSol(leg.agreedPaymentLamports)} SOL`;
  if (leg.isTurn) {
    const ifNot = `The shipper can take the escrow back, you are not paid (${pays}), and the leg counts against you.`;
    const carry = 'Carry the parcel to the drop-off; the recipient confirms it there, which pays you.';
    return [{ do: carry, until: deadline, ifNot, about: { ...about, recipientPubkey } }];
  }
  const before = parcel?.swarm?.legs.find(({ status }) => status === 'pending');
  if (before?.id !== leg.takeOverLegId) return [];
  const ifNot = `The courier before you is not paid, you cannot earn ${pays}, and the shipper can take the escrow back.`;
  const take = 'Meet the courier before you at the pickup, and when you have the parcel: take_or_hand_over.';
  return [{ do: take, until: deadline, ifNot, about: { ...about, legIndex: leg.legIndex - 1 } }];
}

async function dueOfParcels({ client, signer }: Session): Promise<Due[]> {
  const own = { shipper: signer.address, limit: MOST };
  const due: Due[] = [];
  for (const { id: packageId } of (await client.listPackages({ ...own, status: 'in_transit' })).items) {
    const parcel = await client.getPackage({ packageId });
    const legs = parcel.swarm?.legs ?? [];
    const current = legs.find(({ status }) => status === 'pending');
    if (parcel.deadline.getTime() < Date.now()) due.push(reclaim({ packageId }, parcel));
    else if (current !== undefined && current.legIndex === legs.length - 1) {
      const about = { packageId, legIndex: current.legIndex, courier: current.agentPubkey };
      const ifNot = 'The courier who brings it is not paid, and the rest of your escrow does not return.';
      due.push({
        do: 'When the last courier hands the parcel to you: take_or_hand_over.',
        until: parcel.deadline,
        ifNot,
        about,
      });
    }
  }
  const listed = await client.listPackages({ ...own, status: 'listed' });
  const late = listed.items.filter(({ deadline }) => deadline.getTime() < Date.now());
  return [...due, ...late.map((parcel) => reclaim({ packageId: parcel.id }, parcel))];
}

async function dueOfTasks({ client, signer }: Session): Promise<Due[]> {
  const own = await client.listDigitalTasks({ shipper: signer.address, status: 'listed', limit: MOST });
  const late = own.items.filter(
    ({ deadline, funderPubkey }) => deadline.getTime() < Date.now() && funderPubkey === signer.address,
  );
  return late.map((task) => reclaim({ taskId: task.id }, task));
}

function reclaim(about: Due['about'], { maxBudgetLamports }: { readonly maxBudgetLamports: bigint }): Due {
  const ifNot = `What is left of ${formatSol(maxBudgetLamports)} SOL stays in escrow.`;
  return { do: 'Its deadline has passed: take the escrow back with cancel_or_reclaim.', until: null, ifNot, about };
}
