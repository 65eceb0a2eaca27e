import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKeyFile, Daemon, type DaemonOptions, type Log, readPolicies } from '@legwork/agents';
import { lamports } from '@solana/kit';
import { onTestFinished } from 'vitest';
import type { TestService } from '../../support/service.js';

/** For polls: an agent on a busy machine takes its time. */
export const PATIENT = { timeout: 45_000 };

/** An agent of a policy file: its key, and where the file is. */
export interface PolicyAgent {
  readonly pubkey: string;
  readonly file: string;
  /** Where its key is. */
  readonly key: string;
  /** The journal's lines so far. */
  readonly journal: () => Promise<Record<string, unknown>[]>;
  /** Writes the policy again. */
  readonly rewrite: (fields: object) => Promise<void>;
}

/** Writes a key and a policy for this service into a folder of their own; `fields` is what the policy says beyond key and service. */
export async function policyAgent(service: TestService, fields: object, sol = 1): Promise<PolicyAgent> {
  const folder = await mkdtemp(join(tmpdir(), 'legwork-agent-'));
  const keyFile = join(folder, 'agent.json');
  const { address } = await createKeyFile(keyFile);
  if (sol > 0) await service.rpc.requestAirdrop(address, lamports(BigInt(sol) * 1_000_000_000n)).send();
  const file = join(folder, 'policy.yaml');
  // JSON is YAML.
  const rewrite = (next: object) =>
    writeFile(file, JSON.stringify({ service: service.server.url, key: 'agent.json', ...next }));
  await rewrite(fields);
  const journal = async () => {
    const text = await readFile(join(folder, 'agent.journal.jsonl'), 'utf8').catch(() => '');
    return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Record<string, unknown>]));
  };
  return { pubkey: address, file, key: keyFile, journal, rewrite };
}

/** A daemon that works. */
export interface RunningDaemon {
  readonly daemon: Daemon;
  /** The messages it told, in words, oldest first. */
  readonly told: readonly string[];
  readonly stop: () => Promise<void>;
}

/** Runs the policies of these agents in one daemon, at most until the test ends. */
export async function runDaemon(
  agents: readonly Pick<PolicyAgent, 'file'>[],
  options: Partial<DaemonOptions> = {},
): Promise<RunningDaemon> {
  const policies = (await Promise.all(agents.map(({ file }) => readPolicies(file)))).flat();
  const told: string[] = [];
  const tell = (_: object, words: string) => void told.push(words);
  const log: Log = { info: tell, warn: tell, error: tell };
  const daemon = new Daemon(policies, { log: () => log, ...options });
  const controller = new AbortController();
  const ended = daemon.run(controller.signal);
  ended.catch((error: unknown) => told.push(String(error)));
  const stop = async () => {
    controller.abort();
    await ended;
  };
  onTestFinished(() => stop().catch(() => undefined));
  return { daemon, told, stop };
}
