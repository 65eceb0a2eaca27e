import { MAX_CHAIN_LEGS } from '../../contract/resources/swarm.js';
import { isWithinHandoff } from '../geo.js';
import { bidWeight } from './objective.js';
import { HandoffGrid, Places } from './places.js';
import type { TimeBound } from './timeBound.js';
import type { RouteBid, RoutePackage } from './types.js';
import { legMinutes } from './windows.js';

/** The limits of every chain. */
export interface ChainLimits {
  /** Lamports; exact, because a budget fits a double. */
  readonly budget: number;
  /** Whole minutes. */
  readonly minutes: number;
}

/** A bid as a node of the graph of handoffs. */
export interface GraphNode {
  readonly id: string;
  /** Index of the agent; bids of one agent share it. */
  readonly agent: number;
  readonly weight: bigint;
  readonly cost: number;
  readonly minutes: number;
  /** Its pickup lies within a handoff of the origin. */
  readonly isFirst: boolean;
  /** Its drop-off lies within a handoff of the destination. */
  readonly isLast: boolean;
  /** Nodes that can carry on from its drop-off. Filled for nodes that the origin reaches. */
  next: readonly number[];
}

/** One node per usable bid, in the order of the bids. */
export function createNodes(target: RoutePackage, bids: readonly RouteBid[]): GraphNode[] {
  const agents = new Map<string, number>();
  return bids.map((bid) => {
    const agent = agents.get(bid.agentPubkey) ?? agents.size;
    agents.set(bid.agentPubkey, agent);
    return {
      id: bid.id,
      agent,
      weight: bidWeight(bid),
      cost: Number(bid.costLamports),
      minutes: legMinutes(target, bid),
      isFirst: isWithinHandoff(target.origin, bid.pickup),
      isLast: isWithinHandoff(bid.dropoff, target.destination),
      next: [],
    };
  });
}

/**
 * Links the nodes that the origin reaches. Links that no best chain holds are left out: a leg after one
 * that reaches the destination, a leg back to where the package starts, two legs in a row by one agent.
 *
 * @returns false when the time was up before every link was made
 */
export function linkNodes(nodes: readonly GraphNode[], bids: readonly RouteBid[], bound: TimeBound): boolean {
  const grid = new HandoffGrid(new Places(bids.map((bid) => bid.pickup)));
  const dropoffs = new Places(bids.map((bid) => bid.dropoff));
  let frontier = [...nodes.keys()].filter((index) => nodes[index]?.isFirst);
  const reached = new Set(frontier);
  for (let legs = 1; legs < MAX_CHAIN_LEGS && frontier.length > 0; legs += 1) {
    const following: number[] = [];
    for (const index of frontier) {
      const node = nodes[index];
      if (node === undefined || node.isLast) {
        continue;
      }
      if (bound.isExpired()) {
        return false;
      }
      node.next = grid.near(dropoffs, index).filter((other) => isWorthLinking(node, nodes[other]));
      for (const other of node.next) {
        if (!reached.has(other)) {
          reached.add(other);
          following.push(other);
        }
      }
    }
    frontier = following;
  }
  return true;
}

function isWorthLinking(node: GraphNode, other: GraphNode | undefined): boolean {
  return other !== undefined && !other.isFirst && other.agent !== node.agent;
}
