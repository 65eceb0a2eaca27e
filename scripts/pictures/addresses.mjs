import { everyItem, createLegworkClient } from '@legwork/sdk';

/**
 * The pages of a market, by the names of their pictures: those that show work under way at once, those that show work done
 * when it is.
 */
export async function addresses(url) {
  return {
    lively: [
      ['overview', '/'],
      ['packages', '/p'],
      ['tasks', '/t'],
      ['post', '/post'],
    ],
    settled: () => settled(createLegworkClient({ url })),
  };
}

async function settled(client) {
  const [parcel, task, agent] = await Promise.all([
    best(client.listRelays, { status: 'delivered' }, ({ totalLegs }) => totalLegs),
    best(client.listDigitalTasks, { status: 'completed' }, ({ numLegs }) => numLegs),
    best(client.listAgents, {}, ({ reputation }) => reputation.legsCompleted),
  ]);
  const { swarm, onChainPackage } = await client.getPackage({ packageId: parcel.id });
  return [
    ['package', `/p/${parcel.id}`],
    ['task', `/t/${task.id}`],
    ['agents', '/a'],
    ['agent', `/a/${agent.agentPubkey}`],
    ['transaction', `/tx/${swarm.legs[0].confirmSignature}`],
    ['account', `/account/${onChainPackage}`],
    ['rewards', '/rewards'],
    ['developers', '/developers'],
  ];
}

/** The item that has most to show; of equal ones the oldest. */
async function best(list, input, worth) {
  let found;
  for await (const item of everyItem(list, input)) if (!found || worth(item) >= worth(found)) found = item;
  if (!found) throw new Error('the demo left nothing of a kind to show');
  return found;
}
