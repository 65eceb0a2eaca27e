import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12';
/** What runs it: it needs a newer Node.js than the service. */
const RUNTIME = 'node@24.21.0';
const isNew = Number.parseInt(process.versions.node, 10) >= 22;
const PACKAGES = isNew ? [SUITE] : [SUITE, RUNTIME];

export const REVISIONS = ['2025-11-25', '2026-07-28'] as const;
export type McpRevision = (typeof REVISIONS)[number];

/** How a scenario ended. */
export interface Ended {
  scenario: string;
  /** `skipped`: nothing in it applies to the server. */
  state: 'passed' | 'failed' | 'skipped';
  /** The checks that failed in it, with the suite's words. */
  failures: { id: string; why: string }[];
}

interface Check {
  id: string;
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  errorMessage?: string;
}

/** Runs every scenario that the revision requires or only reports, against the server at this address. */
export async function runSuite(url: string, revision: McpRevision): Promise<Ended[]> {
  const folder = await mkdtemp(join(tmpdir(), 'legwork-conformance-'));
  const fetched = PACKAGES.flatMap((name) => ['--package', name]);
  const run = ['conformance', 'server', '--url', `${url}/mcp`, '--requirements', revision, '--output-dir', 'results'];
  const said = await new Promise<string>((ended) =>
    // That scenarios failed is in their results.
    execFile('npm', ['exec', '--yes', ...fetched, '--', ...run], { cwd: folder, maxBuffer: 2 ** 26 }, (_, out, err) =>
      ended(out + err),
    ),
  );
  const results = join(folder, 'results');
  const found = await readdir(results).catch((): string[] => []);
  if (found.length === 0) throw new Error(`The suite did not run:\n${said}`);
  return Promise.all(
    found.map(async (name) => {
      const scenario = name.replace(/^server-/, '').replace(/-\d{4}-\d{2}-\d{2}T[\w-]+$/, '');
      return endedAs(scenario, JSON.parse(await readFile(join(results, name, 'checks.json'), 'utf8')) as Check[]);
    }),
  );
}

/** As the suite counts it: warnings and hints fail nothing. */
function endedAs(scenario: string, checks: readonly Check[]): Ended {
  const failures = checks.flatMap(({ id, status, errorMessage: why = '' }) =>
    status === 'FAILURE' ? [{ id, why }] : [],
  );
  const isEmpty = !checks.some(({ id, status }) => status === 'SUCCESS' && !id.startsWith('wire-schema'));
  return { scenario, state: failures.length > 0 ? 'failed' : isEmpty ? 'skipped' : 'passed', failures };
}
