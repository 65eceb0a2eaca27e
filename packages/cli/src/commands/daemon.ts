import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { parsePort } from '../optionValues.js';
import { UsageError } from '../screen.js';
import { listenForStop } from '../closers.js';

interface DaemonCommandOptions {
  readonly policy: string;
  readonly metricsPort?: number;
}

type Kind = 'courier' | 'worker';

/** The most time that work under way takes to end, milliseconds; the next start finishes the rest. */
const END_MS = 500;

const HELP = `
It does what the policy says until it is stopped, and goes on after any interruption. Everything it signs and every call
that counts is in a journal beside the key. A folder of policies runs as one process, each with a key of its own.
docs/agents/daemons.md has every field of a policy. There is no --json: where its output is no terminal, its log is lines of JSON.`;

const DESCRIPTIONS: Record<Kind, string> = {
  courier: 'bid on packages, take them over and be paid, by a policy file',
  worker: 'claim legs of digital tasks, do them and be paid, by a policy file',
};

/** `legwork courier` and `legwork worker`: the agents of policy files. */
export function daemonCommand(kind: Kind): Command {
  return new Command(kind)
    .description(DESCRIPTIONS[kind])
    .option('--policy <path>', 'a policy file, or a folder of them', 'legwork.yaml')
    .option('--metrics-port <n>', 'serve metrics for Prometheus on this port of 127.0.0.1', parsePort)
    .addHelpText('after', `${HELP}\n\nExample:\n  legwork ${kind} --policy legwork.yaml`)
    .action((options: DaemonCommandOptions) => run(kind, options));
}

async function run(kind: Kind, { policy: path, metricsPort }: DaemonCommandOptions): Promise<void> {
  const { Daemon, readPolicies } = await import('@legwork/agents');
  const { askAtTerminal } = await import('../daemon/askAtTerminal.js');
  const { daemonLog } = await import('../daemon/daemonLog.js');
  const stop = listenForStop(() => process.exit(1));
  const policies = await readPolicies(path);
  if (!policies.some((policy) => policy[kind])) throw new UsageError(`${path} says nothing under "${kind}:".`);
  if (policies.some(({ courier, worker }) => !courier && !worker)) {
    throw new UsageError(`A policy of ${path} has neither "courier:" nor "worker:".`);
  }
  const log = daemonLog(process.stdout.isTTY);
  const daemon = new Daemon(policies, { log, ask: askAtTerminal() });
  const running = daemon.run(stop.signal);
  if (metricsPort !== undefined) {
    const { serveDaemonMetrics } = await import('../daemon/daemonMetrics.js');
    log(undefined).info({}, `metrics at ${await serveDaemonMetrics(daemon, metricsPort)}`);
  }
  await Promise.race([running, stop.requested.then(() => sleep(END_MS))]);
}
