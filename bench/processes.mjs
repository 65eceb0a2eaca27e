// The resources that processes of this machine use: Linux alone tells.
import { execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';

const TICKS_A_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
const PAGE_BYTES = Number(execFileSync('getconf', ['PAGESIZE'], { encoding: 'utf8' }));

/** CPU seconds and resident bytes of a process and all its children. */
export async function usageOf(pid) {
  const stats = await statsOf();
  const tree = new Set([pid]);
  for (let grown = true; grown; ) {
    const more = stats.filter(({ id, parent }) => tree.has(parent) && !tree.has(id));
    for (const { id } of more) tree.add(id);
    grown = more.length > 0;
  }
  return sumOf(stats.filter(({ id }) => tree.has(id)));
}

/** As {@link usageOf}, without its children. */
export async function usageAlone(pid) {
  return sumOf((await statsOf()).filter(({ id }) => id === pid));
}

function sumOf(own) {
  return {
    cpuSec: own.reduce((sum, { ticks }) => sum + ticks, 0) / TICKS_A_SECOND,
    bytes: own.reduce((sum, { pages }) => sum + pages, 0) * PAGE_BYTES,
  };
}

async function statsOf() {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(
    ids.map(async (name) => {
      const text = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => undefined);
      const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ') ?? [];
      const [parent, user, system, pages] = [1, 11, 12, 21].map((at) => Number(fields[at] ?? 0));
      return { id: Number(name), parent, ticks: user + system, pages };
    }),
  );
  return stats;
}
