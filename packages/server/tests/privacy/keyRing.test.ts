import { mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, inject, test, vi } from 'vitest';
import { KeyRing } from '../../src/db/keyRing.js';

const execute = promisify(execFile);
/** Replicas are processes of their own: what is built runs in them. */
const BUILT = new URL('../../dist/db/keyRing.js', import.meta.url).href;

const NOVEMBER = new Date('2026-11-23T10:00:00Z');
const newFolder = () => mkdtemp(join(inject('scratch'), 'keys-'));

describe('a ring of keys', () => {
  test('opens what it sealed, for what it was sealed for and nothing else (S-141)', async () => {
    const ring = await KeyRing.open(await newFolder());
    const text = fc.string({ unit: 'grapheme', maxLength: 300 });
    fc.assert(
      fc.property(text, fc.nat(), (secret, drawn) => {
        const { key, sealed } = ring.seal(secret, 'package:one', NOVEMBER);
        expect(key).toBe('2026-11');
        expect(ring.open({ key, sealed }, 'package:one')).toBe(secret);
        expect(ring.open({ key, sealed }, 'package:two')).toBeUndefined();
        const changed = Buffer.from(sealed);
        changed.writeUInt8(changed.readUInt8(drawn % sealed.length) ^ 1, drawn % sealed.length);
        expect(ring.open({ key, sealed: changed }, 'package:one')).toBeUndefined();
      }),
      { numRuns: 30 },
    );
  });

  test('keeps each key in a file that only its user reads (S-141)', async () => {
    const folder = await newFolder();
    const ring = await KeyRing.open(join(folder, 'made'));
    ring.seal('a', 'b', NOVEMBER);
    expect(await readdir(join(folder, 'made'))).toEqual(['2026-11.key']);
    expect((await stat(join(folder, 'made', '2026-11.key'))).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'made'))).mode & 0o777).toBe(0o700);
  });

  test('is one for replicas that begin a month at the same moment (S-141)', async () => {
    const folder = await newFolder();
    const sealing = `
      const { KeyRing } = await import(${JSON.stringify(BUILT)});
      const { key, sealed } = (await KeyRing.open(${JSON.stringify(folder)})).seal('text', 'x', new Date(${NOVEMBER.getTime()}));
      process.stdout.write(key + ' ' + sealed.toString('hex'));`;
    const replicas = Array.from({ length: 4 }, () => execute(process.execPath, ['--input-type=module', '-e', sealing]));
    const ring = await KeyRing.open(folder);
    for (const { stdout } of await Promise.all(replicas)) {
      const [key = '', sealed = ''] = stdout.split(' ');
      expect(ring.open({ key, sealed: Buffer.from(sealed, 'hex') }, 'x')).toBe('text');
    }
    expect(await readdir(folder)).toEqual(['2026-11.key']);
  });

  test('opens nothing any more whose key is destroyed: when its month is over and nothing is sealed with it (S-141)', async () => {
    const folder = await newFolder();
    const ring = await KeyRing.open(folder);
    const replica = await KeyRing.open(folder);
    const sealed = ring.seal('a', 'b', NOVEMBER);
    expect(replica.open(sealed, 'b')).toBe('a');
    expect(await ring.destroy(new Set(), NOVEMBER)).toEqual([]);
    const later = new Date('2026-12-02T00:00:00Z');
    expect(await ring.destroy(new Set(['2026-11']), later)).toEqual([]);
    // A text sealed a moment before midnight may not be stored yet.
    expect(await ring.destroy(new Set(), new Date('2026-12-01T23:59:59Z'))).toEqual([]);
    expect(replica.open(sealed, 'b')).toBe('a');
    expect(await ring.destroy(new Set(), later)).toEqual(['2026-11']);
    for (const one of [ring, replica]) expect(one.open(sealed, 'b')).toBeUndefined();
    expect(await readdir(folder)).toEqual([]);
  });

  test('forgets rows with their key: here at once, in another replica within a minute (S-141)', async () => {
    const folder = await newFolder();
    const [ring, replica] = [await KeyRing.open(folder), await KeyRing.open(folder)];
    const rows = ['a', 'b'.repeat(5_000)].map((text) => ring.sealRow(text, NOVEMBER));
    const read = (by: KeyRing) => rows.map((row) => by.openRow(row)?.at(0));
    for (const one of [ring, replica, ring, replica]) expect(read(one)).toEqual(['a', 'b']);
    await ring.destroy(new Set(), new Date('2026-12-02T00:00:00Z'));
    expect(read(ring)).toEqual([undefined, undefined]);
    const later = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_001);
    expect(read(replica)).toEqual([undefined, undefined]);
    later.mockRestore();
  });

  test('leaves other files alone', async () => {
    const folder = await newFolder();
    await writeFile(join(folder, '2020-01.key.bak'), 'mine');
    await (await KeyRing.open(folder)).destroy(new Set(), NOVEMBER);
    expect(await readFile(join(folder, '2020-01.key.bak'), 'utf8')).toBe('mine');
  });

  test('is refused where its folder cannot be, by the name of the setting', async () => {
    const file = join(await newFolder(), 'file');
    await writeFile(file, '');
    await expect(KeyRing.open(join(file, 'keys'))).rejects.toThrow(/PERSONAL_DATA_KEYS/);
  });
});
