import { chmod, mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createKeyFile, KeyFileError, readKeyFile } from '../src/index.js';

const folder = await mkdtemp(join(tmpdir(), 'legwork-keys-'));

describe('a key file', () => {
  test('is made for its owner only, read again, and never overwritten (A-1)', async () => {
    const file = join(folder, 'new', 'ada.json');
    const { address } = await createKeyFile(file);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await readKeyFile(file)).address).toBe(address);
    await expect(createKeyFile(file)).rejects.toThrow(/exists already; a key is never overwritten/);
  });

  test.each<[string, RegExp, (file: string) => Promise<unknown>]>([
    ['is missing', /Make one: (npx )?legwork key new '.*is missing.json'/, async () => undefined],
    ['others may read', /chmod 600/, async (file) => createKeyFile(file).then(() => chmod(file, 0o640))],
    ['is not JSON', /not a key file \(it is not JSON\)/, (file) => writeFile(file, 'hunter2', { mode: 0o600 })],
    ['is too short', /it has 3 elements/, (file) => writeFile(file, '[1,2,3]', { mode: 0o600 })],
    [
      'holds two halves of two keys',
      /second half does not belong/,
      async (file) => {
        await createKeyFile(`${file}.other`);
        const bytes = JSON.parse(await readFile(`${file}.other`, 'utf8')) as number[];
        await writeFile(file, JSON.stringify([...bytes.slice(32), ...bytes.slice(0, 32)]), { mode: 0o600 });
      },
    ],
  ])(
    'that %s is refused with the command that helps, and without a byte of it (A-1)',
    async (name, message, prepare) => {
      const file = join(folder, `${name}.json`);
      await prepare(file);
      const refusal = await readKeyFile(file).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(KeyFileError);
      expect(String(refusal)).toMatch(message);
      expect(String(refusal)).not.toMatch(/hunter2|1,2,3|\d+,\d+,\d+/);
    },
  );
});
