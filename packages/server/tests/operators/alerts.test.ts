import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { collectDefaultMetrics } from 'prom-client';
import { beforeAll, describe, expect, test } from 'vitest';
import { createMetrics } from '../../src/metrics/metrics.js';

const FOLDER = join(import.meta.dirname, '../../../../docs/operators');
const read = (name: string) => readFile(join(FOLDER, name), 'utf8');

/** Every name that a service tells, those of its process too. */
const known = new Set<string>();

beforeAll(async () => {
  const { registry } = createMetrics();
  collectDefaultMetrics({ register: registry });
  for (const { name, type } of await registry.getMetricsAsJSON()) {
    const parts = String(type) === 'histogram' ? ['_bucket', '_count', '_sum'] : [''];
    for (const part of parts) known.add(name + part);
  }
});

const metricsIn = (text: string): string[] => [...new Set(text.match(/\b(?:legwork|nodejs|process)_\w+/g))];

describe('what operators are given to load', () => {
  test.each(['prometheus-rules.yml', 'grafana-dashboard.json'])(
    '%s asks for metrics that there are (S-42)',
    async (file) => {
      const asked = metricsIn(await read(file));
      expect(asked.length).toBeGreaterThan(7);
      expect(asked.filter((name) => !known.has(name))).toEqual([]);
    },
  );

  test('prometheus-rules.yml has an alert for everything that the page names, and no other (S-42)', async () => {
    const [, table = ''] = (await read('monitoring.md')).split('## Alerts');
    const rows = table.split('\n').filter((line) => line.startsWith('| `'));
    const expressions = (await read('prometheus-rules.yml')).split('\n').filter((line) => line.includes('expr: '));
    expect(expressions.map(metricsIn)).toEqual(rows.map((row) => metricsIn(row.split('|')[1] ?? '')));
  });

  test('grafana-dashboard.json gives each panel a place and a question of its own', async () => {
    const { panels } = JSON.parse(await read('grafana-dashboard.json')) as {
      panels: { id: number; gridPos: { x: number; y: number }; targets: { expr: string }[] }[];
    };
    expect(new Set(panels.map(({ gridPos }) => `${gridPos.x} ${gridPos.y}`)).size).toBe(panels.length);
    expect(new Set(panels.map(({ targets }) => targets[0]?.expr)).size).toBe(panels.length);
  });
});
