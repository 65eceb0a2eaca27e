import { listTaskOnce } from '../listOnce.js';
import type { Stage } from '../stage.js';
import type { Goal } from './cast.js';
import { Tools } from './tools.js';

/**
 * Posts a goal, or finds it posted by an earlier part of this run: the coordinator pays for what comes by the MCP tool, a
 * poster's own wallet for what is listed through the SDK.
 *
 * @returns the task's id
 */
export async function post(stage: Stage, goal: Goal, mcpUrl: string): Promise<string> {
  const { title, description, legs, maxBudgetSol } = goal;
  const wish = {
    title,
    description,
    maxBudgetSol,
    // These agents have no SOL to stake.
    terms: 'plain' as const,
    ...(legs && { legs: legs.map((instruction) => ({ instruction })) }),
  };
  if (goal.funder === 'coordinator') return postByTool(stage, goal, wish, mcpUrl);
  return (await listTaskOnce(stage.folder, title, stage.company.named(goal.poster), wish)).id;
}

async function postByTool(
  { client, company }: Stage,
  { poster, title }: Goal,
  wish: object,
  mcpUrl: string,
): Promise<string> {
  const shipperPubkey = company.named(poster).signer.address;
  const { items } = await client.listDigitalTasks({ shipper: shipperPubkey });
  const earlier = items.find((task) => task.title === title);
  if (earlier !== undefined) return earlier.id;
  const tools = await Tools.connect(mcpUrl, poster);
  try {
    return (await tools.call<{ id: string }>('svc_post_digital_task', { ...wish, shipperPubkey })).id;
  } finally {
    await tools.close();
  }
}
