import { createHash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CLAIMS_CSV_HEAD,
  claimsCsv,
  ClaimsCsvError,
  claimsCsvLines,
  type ExportedClaim,
  parseClaimsCsv,
} from '../../src/rules/claimsCsv.js';
import { type Lamports, toLamports } from '../../src/contract/money.js';
import { formatPubkey } from '../../src/contract/pubkey.js';
import { compareClaims, DEFAULT_CLAIM_WINDOW, isWindowOpen } from '../../src/rules/rewards.js';

const mainnetPubkey = formatPubkey(ed25519.getPublicKey(new Uint8Array(32).fill(21)));
const devnetPubkey = formatPubkey(ed25519.getPublicKey(new Uint8Array(32).fill(22)));

describe('the claim window', () => {
  it.each([
    ['2026-05-10T23:59:59.999Z', false],
    ['2026-05-11T00:00:00.000Z', true],
    ['2026-05-14T12:00:00.000Z', true],
    ['2026-05-17T23:59:59.999Z', true],
    ['2026-05-18T00:00:00.000Z', false],
  ])('(M-67) at %s: %s', (now, open) => {
    expect(isWindowOpen(DEFAULT_CLAIM_WINDOW, new Date(now))).toBe(open);
  });
});

const lamports = fc.bigInt({ min: 0n, max: 2n ** 53n - 1n }).map(toLamports);
const pubkey = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(formatPubkey);
const signature = fc.uint8Array({ minLength: 64, maxLength: 64 }).map((bytes) => base58.encode(bytes));
const instant = fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true });
const claim: fc.Arbitrary<ExportedClaim> = fc.record({
  devnetPubkey: pubkey,
  mainnetPubkey: pubkey,
  mainnetProven: fc.boolean(),
  devnetEarningsLamports: fc.oneof(lamports, fc.constantFrom(0n, 5n).map(toLamports)),
  sponsoredLamports: lamports,
  selfFundedLamports: lamports,
  legs: fc.nat(),
  posters: fc.nat(),
  lastConfirmSignature: fc.option(signature),
  claimedAt: fc.oneof(instant, fc.constant(new Date('2026-05-12T00:00:00.000Z'))),
  paidSignature: fc.option(signature),
  paidAt: fc.option(instant),
});
const claims = fc.uniqueArray(claim, { selector: (each) => each.devnetPubkey, maxLength: 12 });

const ranked = (earnings: bigint, claimedAt: string, key = devnetPubkey) => ({
  devnetEarningsLamports: toLamports(earnings),
  claimedAt: new Date(claimedAt),
  devnetPubkey: key,
});

describe('the rank of a claim', () => {
  it('(M-68) is by earnings, then by time, then by key', () => {
    const early = '2026-05-11T00:00:00.000Z';
    const late = '2026-05-11T00:00:00.001Z';
    const inOrder = [
      ranked(10n, late),
      ranked(9n, early, 'A'),
      ranked(9n, early, 'a'),
      ranked(9n, late, 'A'),
      ranked(0n, early),
    ];
    expect([...inOrder].reverse().sort(compareClaims)).toEqual(inOrder);
  });

  it('(M-68) of large earnings is exact', () => {
    const at = '2026-05-11T00:00:00.000Z';
    const [least, most]: [Lamports, Lamports] = [toLamports(2n ** 53n - 2n), toLamports(2n ** 53n - 1n)];
    expect(compareClaims(ranked(most, at), ranked(least, at))).toBe(-1);
  });
});

/** The CSV exported again after reading, or the error that refused it. */
function reexported(csv: string): unknown {
  try {
    return claimsCsv(parseClaimsCsv(csv)).csv;
  } catch (error) {
    return error;
  }
}

describe('the export of claims', () => {
  const one: ExportedClaim = {
    devnetPubkey,
    mainnetPubkey,
    mainnetProven: true,
    devnetEarningsLamports: toLamports(7n),
    sponsoredLamports: toLamports(4n),
    selfFundedLamports: toLamports(3n),
    legs: 2,
    posters: 1,
    lastConfirmSignature: null,
    claimedAt: new Date('2026-05-11T00:00:00.000Z'),
    paidSignature: null,
    paidAt: null,
  };
  const HEADER =
    'rank,devnet_pubkey,mainnet_pubkey,mainnet_proven,earnings_lamports,sponsored_lamports,self_funded_lamports,legs,' +
    'distinct_posters,last_confirm_signature,claimed_at,paid_signature,paid_at\r\n';
  const line = `1,${devnetPubkey},${mainnetPubkey},true,7,4,3,2,1,,2026-05-11T00:00:00.000Z,,\r\n`;

  it('(S-68) is a line a claim, of digits, ISO times and empty fields, with the hash of its bytes', () => {
    const { csv, sha256 } = claimsCsv([one]);
    expect(csv).toBe(HEADER + line);
    expect(sha256).toBe(createHash('sha256').update(csv, 'utf8').digest('hex'));
    expect(claimsCsv([]).csv).toBe(HEADER);
  });

  it('(S-68) holds nothing but its columns of what the list shows', () => {
    const listed = { ...one, id: '0189dcd5-5311-7d40-8db0-9496a2eef37b', explorer: { paidSignature: null } };
    expect(claimsCsv([listed]).csv).toBe(HEADER + line);
  });

  it('(S-68) is the same bytes in whatever order the claims come, and is read back', () => {
    fc.assert(
      fc.property(claims, fc.func(fc.integer()), (all, weight) => {
        const exported = claimsCsv(all);
        const shuffled = [...all].sort((a, b) => weight(a.devnetPubkey) - weight(b.devnetPubkey));
        expect(claimsCsv(shuffled)).toEqual(exported);
        expect(parseClaimsCsv(exported.csv)).toEqual([...all].sort(compareClaims));
      }),
      { numRuns: 60 },
    );
  });

  it('(S-68) is the same bytes when it is written a few claims at a time', () => {
    fc.assert(
      fc.property(claims, fc.integer({ min: 1, max: 5 }), (all, batch) => {
        const ranked = [...all].sort(compareClaims);
        let csv = CLAIMS_CSV_HEAD;
        for (let from = 0; from < ranked.length; from += batch) {
          csv += claimsCsvLines(ranked.slice(from, from + batch), from + 1);
        }
        expect(csv).toBe(claimsCsv(all).csv);
      }),
      { numRuns: 60 },
    );
  });

  it('(S-68) with a character changed, added or left out is refused or means something else', () => {
    const shape = fc.record({
      all: claims,
      at: fc.nat(),
      by: fc.constantFrom('', '0', '1', ' ', ',', '"', '\r\n', '\n', 'Z', '-', '+'),
    });
    fc.assert(
      fc.property(shape, fc.boolean(), ({ all, at, by }, replace) => {
        const { csv } = claimsCsv(all);
        const place = at % csv.length;
        const changed = csv.slice(0, place) + by + csv.slice(place + (replace ? 1 : 0));
        fc.pre(changed !== csv);
        expect(reexported(changed)).toSatisfy((result) => result === changed || result instanceof ClaimsCsvError);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['another first line', line, 'line 1'],
    ['a byte order mark', `\uFEFF${HEADER}${line}`, 'line 1'],
    ['line feeds alone', (HEADER + line).replaceAll('\r\n', '\n'), 'line 1'],
    ['no end of the last line', (HEADER + line).slice(0, -2), 'CR LF'],
    ['an empty line', `${HEADER}${line}\r\n`, 'line 3 has 1 fields'],
    ['a field too many', `${HEADER}${line.replace('\r\n', ',\r\n')}`, 'line 2 has 14 fields'],
    ['another rank', HEADER + line.replace('1,', '2,'), 'line 2 has rank 2; it must be 1'],
    ['a leading zero', HEADER + line.replace(',7,', ',07,'), 'line 2: devnetEarningsLamports must be a whole number'],
    ['a fraction', HEADER + line.replace(',7,', ',7.0,'), 'line 2: devnetEarningsLamports'],
    ['more than there is', HEADER + line.replace(',7,', ',9007199254740992,'), 'line 2: devnetEarningsLamports'],
    ['quotes', HEADER + line.replace(',7,', ',"7",'), 'line 2: devnetEarningsLamports'],
    ['another truth', HEADER + line.replace('true', 'TRUE'), 'line 2: mainnetProven'],
    ['no key', HEADER + line.replace(mainnetPubkey, 'key'), 'line 2: mainnetPubkey must be a public key'],
    ['a day that is none', HEADER + line.replace('05-11', '02-30'), 'line 2: claimedAt'],
    ['seconds alone', HEADER + line.replace('00.000Z', '00Z'), 'line 2: claimedAt'],
    ['no signature', HEADER + line.replace(',,', ',abc,'), 'line 2: lastConfirmSignature'],
  ])('(S-68) is not read with %s', (_what, csv, message) => {
    expect(() => parseClaimsCsv(csv)).toThrow(ClaimsCsvError);
    expect(() => parseClaimsCsv(csv)).toThrow(message);
  });

  it('(S-68) is not read in another order than that of the ranks', () => {
    const { csv } = claimsCsv([one, { ...one, devnetPubkey: mainnetPubkey, devnetEarningsLamports: toLamports(8n) }]);
    const [header, first = '', second = ''] = csv.split('\r\n');
    const swapped = [header, second.replace(/^2/, '1'), first.replace(/^1/, '2'), ''].join('\r\n');
    expect(() => parseClaimsCsv(swapped)).toThrow('not in the order of the ranks');
  });
});
