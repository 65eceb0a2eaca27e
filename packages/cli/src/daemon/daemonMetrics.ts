import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Daemon, Health } from '@legwork/agents';
import { Gauge, Registry } from 'prom-client';
import { UserError } from '../screen.js';

const HOST = '127.0.0.1';

/** The gauges of each agent: name, meaning, value. */
const GAUGES: readonly (readonly [string, string, (health: Health) => number])[] = [
  ['legwork_agent_legs', 'Legs under way.', ({ legs }) => legs],
  ['legwork_agent_bids', 'Bids that may still become legs.', ({ bids }) => bids],
  ['legwork_agent_earned_lamports', 'What completed legs paid.', ({ earnedLamports }) => Number(earnedLamports ?? 0n)],
  ['legwork_agent_spent_lamports', 'What transactions may have cost.', ({ spentLamports }) => Number(spentLamports)],
  ['legwork_agent_last_poll_seconds', 'When its market was last read.', ({ lastPollMs }) => (lastPollMs ?? 0) / 1000],
];

/**
 * Serves `/metrics` in the text format of Prometheus, on loopback.
 *
 * @param port - 0 takes any free one
 * @returns its address
 */
export async function serveDaemonMetrics(daemon: Daemon, port: number): Promise<string> {
  const registry = new Registry();
  for (const [name, help, value] of GAUGES) {
    const collect = (gauge: Gauge<'agent'>) => {
      gauge.reset();
      for (const health of daemon.health) gauge.set({ agent: health.agent }, value(health));
    };
    registry.registerMetric(
      new Gauge({
        name,
        help,
        labelNames: ['agent'],
        registers: [],
        collect() {
          collect(this);
        },
      }),
    );
  }
  registry.registerMetric(
    new Gauge({
      name: 'legwork_agent_left_alone',
      help: 'Packages and tasks that it left alone since it started, by reason.',
      labelNames: ['agent', 'reason'],
      registers: [],
      collect() {
        this.reset();
        for (const { agent, leftAlone } of daemon.health) {
          for (const [reason, count] of Object.entries(leftAlone)) this.set({ agent, reason }, count);
        }
      },
    }),
  );
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    void registry.metrics().then((text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text));
  });
  server.listen(port, HOST);
  await once(server, 'listening').catch((error: unknown) => {
    throw new UserError(`Metrics cannot be served on port ${port}: ${String(error)}`);
  });
  const bound = server.address();
  return `http://${HOST}:${typeof bound === 'object' && bound ? bound.port : port}/metrics`;
}
