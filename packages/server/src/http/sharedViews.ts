import { operations, ownTerms, requirements, terms } from '@legwork/protocol/contract';
import type { z } from 'zod';

/** Names of schemas, for the description of the API. */
export type Registry = z.core.$ZodRegistry<{ id?: string | undefined }>;

/** Names the schemas that several answers share and the members of unions: client generators need a name for each. */
export function nameSharedViews(registry: Registry): void {
  const detail = operations.getPackage.answer;
  registry.add(detail, { id: 'PackageDetail' });
  registry.add(terms, { id: 'Terms' });
  registry.add(ownTerms, { id: 'OwnTerms' });
  registry.add(requirements, { id: 'Requirements' });
  registry.add(operations.listPackages.answer.element, { id: 'Package' });
  registry.add(detail.shape.privateHashes.unwrap().unwrap(), { id: 'PrivateHashes' });
  registry.add(operations.getPrivateParts.answer.shape.pickup.unwrap(), { id: 'PrivatePart' });
  const swarm = detail.shape.swarm.unwrap();
  registry.add(swarm, { id: 'Swarm' });
  registry.add(swarm.shape.legs.element, { id: 'Leg' });
  const task = operations.getDigitalTask.answer;
  registry.add(task, { id: 'DigitalTaskDetail' });
  registry.add(task.shape.legs.element, { id: 'DigitalLegDetail' });
  const brief = operations.listDigitalTasks.answer.element;
  registry.add(brief, { id: 'DigitalTask' });
  registry.add(brief.shape.legs.element, { id: 'DigitalLeg' });
  const queued = operations.listAgentLegs.answer.element;
  registry.add(queued, { id: 'QueuedLeg' });
  const turn = operations.listTurns.answer.element;
  registry.add(turn, { id: 'Turn' });
  registry.add(turn.options[0], { id: 'PackageTurn' });
  registry.add(turn.options[1], { id: 'TaskTurn' });
  registry.add(queued.options[0], { id: 'QueuedPhysicalLeg' });
  registry.add(queued.options[1], { id: 'QueuedDigitalLeg' });
  registry.add(operations.getDecision.answer.shape.considered.unwrap().element, { id: 'ConsideredBid' });
  const { chosenAs, lostTo } = operations.listAgentBids.answer.element.shape;
  registry.add(chosenAs.unwrap(), { id: 'ChosenLeg' });
  registry.add(lostTo.unwrap(), { id: 'WinningChain' });
  const receipt = operations.getPackageReceipts.answer.shape.receipts.element;
  registry.add(receipt, { id: 'Receipt' });
  registry.add(receipt.shape.signed.unwrap(), { id: 'SignedHandoff' });
  registry.add(receipt.shape.landed.unwrap(), { id: 'LandedHandoff' });
  const event = operations.listEvents.answer.element;
  registry.add(event, { id: 'Event' });
  for (const one of event.options)
    registry.add(one, { id: `${one.shape.type.value.toLowerCase().split('_').map(capital).join('')}Event` });
  const [good, refused] = operations.verifyCredential.answer.options;
  registry.add(good, { id: 'GoodCredential' });
  registry.add(refused, { id: 'RefusedCredential' });
  registry.add(operations.completeDigitalLeg.answer.shape.nextLeg.unwrap(), { id: 'NextDigitalLeg' });
  registry.add(operations.getReputation.answer, { id: 'Reputation' });
  registry.add(operations.getDid.answer, { id: 'DidDocument' });
  registry.add(operations.getOperations.answer.shape.audited.unwrap(), { id: 'ToldAudit' });
}

export function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
