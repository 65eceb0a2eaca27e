import { createNonce, signRequest } from '@legwork/protocol/contract';
import { type PackageDetail } from '@legwork/sdk';
import { signBytes } from '@solana/kit';
import { sql } from 'kysely';
import { bidInput, draft, PLACES, untilPackage } from '../../support/market.js';
import { post } from '../../support/refusal.js';
import type { Party, TestService } from '../../support/service.js';
import { listPackage } from '../../support/listed.js';

/** Sends a request without a body, with the party's signature. */
export async function sendSigned(
  service: TestService,
  party: Party,
  method: 'GET' | 'DELETE',
  path: string,
): Promise<Response> {
  const { url } = service.server;
  const sign = (message: Uint8Array) => signBytes(party.signer.keyPair.privateKey, message);
  const parts = { method, host: new URL(url).host, path, body: '' };
  const headers = await signRequest({ pubkey: party.pubkey, sign }, parts, createNonce(Date.now()));
  return fetch(`${url}${path}`, { method, headers: { ...headers } });
}

/** The answer of a tool. */
export interface ToolAnswer {
  isError: boolean;
  /** The answer, or the error's code, message and hint. */
  said: Record<string, unknown>;
}

/** Bids by the tool, without a signature. */
export async function bidUnsigned(
  service: TestService,
  input: ReturnType<typeof bidInput | typeof shiftedBid>,
): Promise<ToolAnswer> {
  const response = await post(service, '/mcp/call', { tool: 'svc_submit_bid', arguments: input });
  const { isError, content } = (await response.json()) as { isError: boolean; content: [{ text: string }] };
  return { isError, said: JSON.parse(content[0].text) as ToolAnswer['said'] };
}

/** A package that gathers bids for an hour. */
export async function gatheringPackage(service: TestService, windowSec = 3600): Promise<PackageDetail> {
  const shipper = await service.party();
  return listPackage(shipper.client, shipper.signer, draft({ biddingWindowSec: windowSec }));
}

/** Lets the bidding window of a package close now. */
export async function closeWindow(service: TestService, packageId: string): Promise<void> {
  await service.db
    .updateTable('packages')
    .set({ bidding_closes_at: new Date(Date.now() - 1), evaluate_at: new Date(Date.now() - 1) })
    .where('id', '=', packageId)
    .execute();
}

/** Copies a stored bid `count` times, each copy for a pair of places of its own. */
export async function multiplyBid(service: TestService, id: string, count: number): Promise<void> {
  await sql`
    insert into bids (id, package_id, agent_pubkey, pickup_lat, pickup_lng, dropoff_lat, dropoff_lng, distance_km,
      estimated_duration_min, cost_lamports, expires_at, signed)
    select gen_random_uuid(), package_id, agent_pubkey, pickup_lat - n / 1e6::float8, pickup_lng, dropoff_lat, dropoff_lng,
      distance_km, estimated_duration_min, cost_lamports, expires_at, signed
    from bids, generate_series(1, ${count}::int) as n where id = ${id}`.execute(service.db);
}

/** The bid from the Zoo to Ostkreuz whose pickup is so many millionths of a degree off: each is a pair of places of its own. */
export function shiftedBid(agent: Party, packageId: string, shift: number, costSol = 0.1) {
  return { ...bidInput(agent, packageId, 'zoo', 'ostkreuz', costSol), pickupLat: PLACES.zoo.lat + shift / 1_000_000 };
}

/** The courier that gets a package on which all of these bid at once, and its pay. */
export async function winnerOf(
  service: TestService,
  ...offers: (readonly [Party, number])[]
): Promise<[string, bigint][] | undefined> {
  const { id } = await gatheringPackage(service);
  for (const [courier, costSol] of offers) {
    await courier.client.submitBid(bidInput(courier, id, 'zoo', 'ostkreuz', costSol));
  }
  await closeWindow(service, id);
  const { swarm } = await untilPackage(service, id, ({ status }) => status === 'in_transit');
  return swarm?.legs.map((leg) => [leg.agentPubkey, leg.agreedPayment]);
}
