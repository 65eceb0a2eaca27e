import { execFile } from 'node:child_process';
import { appendFile, mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { Journal, JournalError } from '../src/index.js';
import type { JournalEntry } from '../src/index.js';

const refusal = (what: string) => ({ kind: 'refused', what, why: 'because' }) as const;
const newFile = async () => join(await mkdtemp(join(tmpdir(), 'legwork-journal-')), 'ada.journal.jsonl');

/** A view that remembers what it was shown. */
function remembering() {
  const seen: JournalEntry[] = [];
  return {
    seen,
    take: (entry: JournalEntry) => void seen.push(entry),
    whats: () => seen.map((one) => 'what' in one && one.what),
  };
}

describe('a journal', () => {
  test('shows each entry once and in order, also after it is opened again (A-3)', async () => {
    const file = await newFile();
    const first = remembering();
    const journal = await Journal.open(file, [first]);
    await Promise.all([journal.append(refusal('a')), journal.append(refusal('b'), refusal('c'))]);
    await journal.append({ kind: 'signed', instruction: 'confirmLeg', subject: 'x', lamports: 5_000n, signature: 's' });
    await journal.close();
    const second = remembering();
    await (await Journal.open(file, [second])).close();
    expect(first.whats()).toEqual(['a', 'b', 'c', false]);
    expect(second.seen).toEqual(first.seen);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test('drops a line that a crash cut off, and goes on (A-3)', async () => {
    const file = await newFile();
    const journal = await Journal.open(file, []);
    await journal.append(refusal('a'));
    await appendFile(file, '{"kind":"refused","what":"b"');
    await journal.append(refusal('c'));
    await journal.close();
    const view = remembering();
    await (await Journal.open(file, [view])).close();
    expect(view.whats()).toEqual(['a', 'c']);
  });

  test('with a line that is no entry is refused, as is one that became shorter (A-3)', async () => {
    const file = await newFile();
    await writeFile(file, '{"kind":"other"}\n');
    await expect(Journal.open(file, [])).rejects.toThrow(JournalError);
    await writeFile(file, '');
    const journal = await Journal.open(file, []);
    await journal.append(refusal('a'));
    await writeFile(file, '');
    await expect(journal.append(refusal('b'))).rejects.toThrow(/became shorter/);
    await journal.close();
  });

  test('that two write has all entries, and each sees those of the other before it decides (A-3)', async () => {
    const file = await newFile();
    const views = [remembering(), remembering()];
    const journals = await Promise.all(views.map((view) => Journal.open(file, [view])));
    // Each takes a turn only when fewer than ten are taken: together they take exactly ten.
    const take = (index: number) =>
      journals[index]?.decide(() => ((views[index]?.seen.length ?? 0) < 10 ? [refusal(`${index}`)] : []));
    await Promise.all(Array.from({ length: 30 }, (_, turn) => take(turn % 2)));
    await Promise.all(journals.map((journal) => journal.close()));
    expect((await readFile(file, 'utf8')).trim().split('\n')).toHaveLength(10);
  });

  test('whose writer was killed while it held the lock is free again (A-3)', async () => {
    const file = await newFile();
    const owner = { pid: process.pid, began: 'long ago' };
    await writeFile(`${file}.lock`, JSON.stringify(owner));
    const journal = await Journal.open(file, []);
    await journal.append(refusal('a'));
    await journal.close();
    const { stdout } = await promisify(execFile)('ls', ['-a', join(file, '..')]);
    expect(stdout).not.toContain('lock');
  });
});
