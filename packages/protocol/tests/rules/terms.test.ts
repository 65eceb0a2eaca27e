import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSalt } from '../../src/contract/ids.js';
import {
  type PackageTerms,
  packageTermsDocument,
  packageTermsHash,
  resultHash,
  type TaskTerms,
  taskTermsDocument,
  taskTermsHash,
} from '../../src/rules/terms.js';

const HEX_DIGITS = '0123456789abcdef'.split('');
const terms: PackageTerms = {
  description: 'Ein Päckchen\n"Bücher"',
  origin: { lat: 52.52, lng: 13.4 },
  destination: { lat: 52.5, lng: -0 },
  weightKg: 2,
  volumeLitres: 0.000001,
};

describe('the terms of a package', () => {
  it('[M-30] are one canonical JSON text', () => {
    expect(packageTermsDocument(terms)).toBe(
      '{"description":"Ein Päckchen\\n\\"Bücher\\"","destination":{"lat":52.5,"lng":0},' +
        '"origin":{"lat":52.52,"lng":13.4},"volumeLitres":0.000001,"weightKg":2}',
    );
  });

  it('[M-30] hash to the sha256 of its UTF-8 bytes', () => {
    const { hex, bytes } = packageTermsHash(terms);
    expect(hex).toBe(createHash('sha256').update(packageTermsDocument(terms), 'utf8').digest('hex'));
    expect(Buffer.from(bytes).toString('hex')).toBe(hex);
  });

  it('[M-30] hash the same whatever else the object carries, in whatever order', () => {
    const { weightKg, ...rest } = terms;
    const wider = { weightKg, id: 'ignored', ...rest, origin: { lng: 13.4, lat: 52.52, name: 'ignored' } };
    expect(packageTermsHash(wider).hex).toBe(packageTermsHash(terms).hex);
  });

  it.each<[string, Partial<PackageTerms>]>([
    ['description', { description: 'Ein Päckchen\n"Bücher" ' }],
    ['origin', { origin: { lat: 52.52, lng: 13.400000000000002 } }],
    ['destination', { destination: { lat: -52.5, lng: 0 } }],
    ['weight', { weightKg: 2.5 }],
    ['volume', { volumeLitres: 0.000002 }],
  ])('[M-30] hash differently when the %s changes', (_field, change) => {
    expect(packageTermsHash({ ...terms, ...change }).hex).not.toBe(packageTermsHash(terms).hex);
  });

  it('[M-30] refuse what has no canonical JSON', () => {
    expect(() => packageTermsHash({ ...terms, description: 'half \uD83D' })).toThrow('surrogate');
    expect(() => packageTermsHash({ ...terms, weightKg: Number.NaN })).toThrow('NaN');
    expect(() => packageTermsHash({ ...terms, origin: { lat: 0, lng: Number.POSITIVE_INFINITY } })).toThrow(RangeError);
  });
});

describe('the terms of a package that requires something of its couriers', () => {
  const requirements = { minScore: 80, capabilities: ['cargo bike', 'cooled'], blocked: ['ada'] };
  const documentOf = (given: PackageTerms['requirements']) => packageTermsDocument({ ...terms, requirements: given });

  it('[T-53] hold it, in the order of canonical JSON', () => {
    const { blocked, ...rest } = requirements;
    expect(documentOf(requirements)).toContain(
      '"requirements":{"blocked":["ada"],"capabilities":["cargo bike","cooled"],"minScore":80},"volumeLitres"',
    );
    expect(documentOf({ blocked, ...rest })).toBe(documentOf(requirements));
    expect(documentOf({ ...requirements, minCompleted: undefined })).toBe(documentOf(requirements));
  });

  it('[T-53] are the old ones, with the old hash, where it requires nothing', () => {
    for (const nothing of [null, undefined]) expect(documentOf(nothing)).toBe(packageTermsDocument(terms));
  });

  it('[T-53] hash differently when any of it changes', () => {
    const changes = [
      { minScore: 81 },
      { minCompleted: 0 },
      { capabilities: ['cooled', 'cargo bike'] },
      { blocked: [] },
    ];
    const documents = changes.map((change) => documentOf({ ...requirements, ...change }));
    expect(new Set([documentOf(requirements), ...documents]).size).toBe(5);
  });
});

const task: TaskTerms = { title: 'Notes', description: 'Read, "then"\nwrite', instructions: ['Read, "then"', 'write'] };

describe('the terms of a digital task', () => {
  it('[M-50] are one canonical JSON text', () => {
    expect(taskTermsDocument(task)).toBe(
      '{"description":"Read, \\"then\\"\\nwrite","instructions":["Read, \\"then\\"","write"],"title":"Notes"}',
    );
  });

  it('[M-50] hash to the sha256 of its UTF-8 bytes, whatever else the object carries', () => {
    const { title, ...rest } = task;
    const wider = { ...rest, id: 'ignored', title };
    const { hex, bytes } = taskTermsHash(wider);
    expect(hex).toBe(createHash('sha256').update(taskTermsDocument(task), 'utf8').digest('hex'));
    expect(Buffer.from(bytes).toString('hex')).toBe(hex);
  });

  it.each<[string, Partial<TaskTerms>]>([
    ['title', { title: 'notes' }],
    ['description', { description: 'Read, "then"\n write' }],
    ['instruction', { instructions: ['Read, "then"', 'write.'] }],
    ['order of instructions', { instructions: ['write', 'Read, "then"'] }],
    ['number of instructions', { instructions: ['Read, "then"\nwrite'] }],
  ])('[M-50] hash differently when the %s changes', (_field, change) => {
    expect(taskTermsHash({ ...task, ...change }).hex).not.toBe(taskTermsHash(task).hex);
  });

  it('[M-50] refuse what has no canonical JSON', () => {
    for (const change of [{ title: '\uD83D' }, { description: '\uDE00' }, { instructions: ['a', 'half \uD83D'] }]) {
      expect(() => taskTermsHash({ ...task, ...change })).toThrow('surrogate');
    }
  });
});

describe('the hash of a result', () => {
  it('[M-58] is that of its UTF-8 bytes, which keeps every space', () => {
    const { hex, bytes } = resultHash(' 結果\r\n');
    expect(hex).toBe(createHash('sha256').update(' 結果\r\n', 'utf8').digest('hex'));
    expect(Buffer.from(bytes).toString('hex')).toBe(hex);
    expect(resultHash(' 結果\n').hex).not.toBe(hex);
  });

  it('[M-83] covers every file, its name, its type, its size and its place; without files it is that of the text', () => {
    const file = fc.record({
      sha256: fc.string({ unit: fc.constantFrom(...HEX_DIGITS), minLength: 64, maxLength: 64 }),
      bytes: fc.integer({ min: 1, max: 2 ** 30 }),
      name: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
      contentType: fc.constantFrom('text/plain', 'text/csv', 'image/png'),
    });
    const result = fc.record({
      text: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
      files: fc.array(file, { minLength: 1, maxLength: 16 }),
    });
    fc.assert(
      fc.property(result, result, (one, other) => {
        const hashOf = ({ text, files }: typeof one) => resultHash(text, files).hex;
        const isSame = JSON.stringify(one) === JSON.stringify(other);
        expect(hashOf(one) === hashOf(other)).toBe(isSame);
        const turned = { ...one, files: one.files.toReversed() };
        expect(hashOf(turned) === hashOf(one)).toBe(JSON.stringify(turned) === JSON.stringify(one));
        expect(resultHash(one.text, []).hex).toBe(resultHash(one.text).hex);
      }),
    );
    expect(() => resultHash('x', [{ sha256: '', bytes: 1, name: '\uD83D', contentType: '' }])).toThrow('surrogate');
  });
});

describe('a salt', () => {
  const coordinate = fc.record({
    lat: fc.double({ noNaN: true, min: -90, max: 90 }),
    lng: fc.double({ noNaN: true, min: -180, max: 180 }),
  });
  const text = fc.string({ unit: 'grapheme', maxLength: 40 });
  const salt = fc.string({ unit: fc.constantFrom(...HEX_DIGITS), minLength: 32, maxLength: 32 });
  const anyPackage = fc.record({
    description: text,
    origin: coordinate,
    destination: coordinate,
    weightKg: fc.double({ noNaN: true, min: 0, max: 100 }),
    volumeLitres: fc.double({ noNaN: true, min: 0, max: 100 }),
  });
  const anyTask = fc.record({
    title: text,
    description: text,
    instructions: fc.array(text, { minLength: 1, maxLength: 4 }),
  });

  it('[M-78] is what a document of version 2 has more than the one without it, which keeps its form', () => {
    fc.assert(
      fc.property(anyPackage, anyTask, salt, (parcel, goal, drawn) => {
        for (const [plain, salted] of [
          [packageTermsDocument(parcel), packageTermsDocument({ ...parcel, salt: drawn })],
          [taskTermsDocument(goal), taskTermsDocument({ ...goal, salt: drawn })],
        ] as const) {
          const { v, salt: found, ...rest } = JSON.parse(salted) as Record<string, unknown>;
          expect([v, found]).toEqual([2, drawn]);
          expect(rest).toEqual(JSON.parse(plain));
          expect(Object.keys(JSON.parse(plain) as object)).not.toContain('v');
        }
        for (const none of [null, undefined]) {
          expect(packageTermsDocument({ ...parcel, salt: none })).toBe(packageTermsDocument(parcel));
          expect(taskTermsDocument({ ...goal, salt: none })).toBe(taskTermsDocument(goal));
        }
      }),
      { numRuns: 50 },
    );
  });

  it('[M-78] makes another hash of the same terms, each time', () => {
    const salts = Array.from({ length: 20 }, createSalt);
    expect(salts.every((one) => /^[0-9a-f]{32}$/.test(one))).toBe(true);
    const hashes = salts.flatMap((one) => [
      packageTermsHash({ ...terms, salt: one }).hex,
      taskTermsHash({ ...task, salt: one }).hex,
    ]);
    expect(new Set([...hashes, packageTermsHash(terms).hex]).size).toBe(41);
  });
});
