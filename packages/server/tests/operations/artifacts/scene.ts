import { createHash, randomBytes } from 'node:crypto';
import { ARTIFACT_PART_BYTES, byteOperations, createNonce, signRequest } from '@legwork/protocol/contract';
import { type DigitalTaskDetail, toRequestSigner } from '@legwork/sdk';
import type { Party, TestService } from '../../support/service.js';
import { claim, legIdOf, postedTask } from '../digitalTasks/scene.js';

export const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Bytes that nobody has seen before. */
export const newBytes = (length: number): Uint8Array<ArrayBuffer> => new Uint8Array(randomBytes(length));

/** A task of which the agent has the first leg, and can work on it. */
export async function claimedLeg(service: TestService): Promise<{ agent: Party; task: DigitalTaskDetail; leg: Leg }> {
  const { task } = await postedTask(service);
  const agent = await service.party(0);
  await claim(agent, task, 0);
  return { agent, task, leg: { taskId: task.id, legId: legIdOf(task, 0) } };
}

export interface Leg {
  taskId: string;
  legId: string;
}

/** How a part departs from what the SDK would send. */
export interface Departure {
  /** The bytes that travel in place of the signed ones. */
  sent?: Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
  /** Nobody signs it. */
  unsigned?: true;
}

/** The part's request, signed by the agent. */
export async function partRequest(
  service: TestService,
  agent: Party,
  { taskId, legId, sha256, part }: Leg & { sha256: string; part: number },
  bytes: Uint8Array<ArrayBuffer>,
  { headers, unsigned }: Departure = {},
): Promise<{ url: URL; headers: Record<string, string> }> {
  const values: Record<string, string> = { taskId, legId, sha256, part: String(part) };
  const { path, method } = byteOperations.putArtifactPart;
  const url = new URL(
    path.replace(/:(\w+)/g, (_all, name: string) => values[name] ?? ''),
    service.server.url,
  );
  const parts = { method, host: url.host, path: url.pathname, body: bytes };
  const signature = unsigned ? {} : await signRequest(toRequestSigner(agent.signer), parts, createNonce(Date.now()));
  const digest = Buffer.from(sha256Of(bytes), 'hex').toString('base64');
  return { url, headers: { 'content-digest': `sha-256=:${digest}:`, ...signature, ...headers } };
}

/** Sends a part as it stands. */
export async function sendPart(
  service: TestService,
  agent: Party,
  where: Leg & { sha256: string; part: number },
  bytes: Uint8Array<ArrayBuffer>,
  departure: Departure = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const { url, headers } = await partRequest(service, agent, where, bytes, departure);
  const answer = await fetch(url, { method: 'PUT', headers, body: departure.sent ?? bytes });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

/** The bytes of one part of a file. */
export function partOf(bytes: Uint8Array<ArrayBuffer>, part: number): Uint8Array<ArrayBuffer> {
  return bytes.slice(part * ARTIFACT_PART_BYTES, (part + 1) * ARTIFACT_PART_BYTES);
}

/** The address of a file. */
export function artifactUrl(service: TestService, { taskId, legId }: Leg, sha256: string): string {
  return `${service.server.url}/digital-tasks/${taskId}/legs/${legId}/artifacts/${sha256}`;
}
