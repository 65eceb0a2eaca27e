import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import type { Address, Base58EncodedBytes } from '@solana/kit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { RENT_EXEMPT_EPOCH, type Account } from '../src/bank/account.js';
import { fromBase58, toBase58 } from '../src/bank/keys.js';
import { decodeJson, encodeJson } from '../src/json.js';
import { fixedPoint, plainFloat } from '../src/rpc/parsed/accounts/floats.js';
import { mintScales } from '../src/rpc/parsed/accounts/mintScale.js';
import { parseAccount } from '../src/rpc/parsed/accounts/parseAccount.js';
import { advanceTime, clientOf, freshLedger, fundedSigner, newAddress, rawCall } from './support/ledger.js';
import { createBlank, createHolding, createToken, freeze, mintTo, run, TOKEN, type Token } from './support/tokens.js';

/** The answer of Agave 4.2.0 for an account, when its clock showed `unixTime`; null when it had no parser. */
type Sample = {
  readonly pubkey: string;
  readonly owner: string;
  readonly data: string;
  readonly unixTime: number;
  readonly parsed: unknown;
};

const samples = readFileSync(new URL('fixtures/parsedAccounts.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => decodeJson(line) as Sample);

function accountOf(owner: string, data: Uint8Array): Account {
  return { lamports: 1n, data, owner: fromBase58(owner), executable: false, rentEpoch: RENT_EXEMPT_EPOCH };
}

const byAddress = new Map(samples.map((one) => [one.pubkey, accountOf(one.owner, Buffer.from(one.data, 'base64'))]));
const scalesAt = (unixTime: number) => mintScales((address) => byAddress.get(toBase58(address)), unixTime);

describe('parsed accounts', () => {
  test.each(samples.map((one) => [`${one.owner} ${one.pubkey}`, one] as const))(
    '[L-40] are as Agave shows them: %s',
    (_, sample) => {
      const account = accountOf(sample.owner, Buffer.from(sample.data, 'base64'));
      const parsed = parseAccount(fromBase58(sample.pubkey), account, scalesAt(sample.unixTime));
      expect(decodeJson(encodeJson(parsed ?? null))).toEqual(sample.parsed);
    },
  );

  test('[L-41] no data throws, whatever program owns it', () => {
    const owners = [...new Set(samples.map((one) => one.owner))];
    const datas = samples.map((one) => Buffer.from(one.data, 'base64'));
    const damaged = fc
      .tuple(fc.constantFrom(...datas), fc.nat(), fc.nat(255), fc.nat())
      .map(([data, at, byte, end]) => {
        const copy = Buffer.from(data.subarray(0, data.length - (end % 3 === 0 ? end % (data.length + 1) : 0)));
        if (copy.length > 0) copy[at % Math.min(copy.length, 400)] = byte;
        return copy;
      });
    const address = fc.constantFrom(...samples.map((one) => one.pubkey));
    fc.assert(
      fc.property(
        fc.constantFrom(...owners),
        address,
        fc.oneof(damaged, fc.uint8Array({ maxLength: 500 })),
        (...one) => {
          const [owner, pubkey, data] = one;
          const parsed = parseAccount(fromBase58(pubkey), accountOf(owner, data), scalesAt(0));
          expect(encodeJson(parsed ?? null)).toMatch(/^(?:null|\{.*\})$/s);
        },
      ),
      { numRuns: 3000 },
    );
  });

  test('[L-40] numbers are written as Rust writes them', () => {
    expect([0.125, 0.375, 2.5, -1.005].map((value) => fixedPoint(value, 2))).toEqual(['0.12', '0.38', '2.50', '-1.00']);
    expect(fixedPoint(20_386_805_083_448_098_816, 0)).toBe('20386805083448098816');
    expect(fixedPoint(5e-324, 330).slice(320)).toBe('000004940656');
    expect([1e21, 1e-7, 1.5, -0, 0, 123.25e-9].map(plainFloat)).toEqual([
      '1000000000000000000000',
      '0.0000001',
      '1.5',
      '-0',
      '0',
      '0.00000012325',
    ]);
    expect([Infinity, -Infinity, NaN].map(plainFloat)).toEqual(['inf', '-inf', 'NaN']);
  });
});

const ledger = await freshLedger({}, 'file');
const client = clientOf(ledger);
const confirmed = { commitment: 'confirmed' } as const;

async function parsedData(address: Address, config: object = confirmed): Promise<unknown> {
  const { result } = await rawCall(ledger, 'getAccountInfo', [address, { encoding: 'jsonParsed', ...config }]);
  return (result as { readonly value: { readonly data: unknown } | null }).value?.data;
}

/** The first notification. To be called before its cause: kit keeps nothing for a reader that comes later. */
async function first<T>(notifications: AsyncIterable<T>): Promise<T> {
  for await (const one of notifications) return one;
  throw new Error('the subscription ended without a notification');
}

async function frozenHolding(): Promise<{ readonly token: Token; readonly owner: Address; readonly holding: Address }> {
  const token = await createToken(client, await fundedSigner(client), { decimals: 2 });
  const owner = await newAddress();
  const holding = await createHolding(token, owner);
  await run(token, mintTo(token, holding, 150n), freeze(token, holding));
  return { token, owner, holding };
}

describe('jsonParsed', () => {
  test('[L-42] a token account is shown with the decimals of its mint', async () => {
    const { token, owner, holding } = await frozenHolding();
    expect(await parsedData(holding)).toEqual({
      parsed: {
        type: 'account',
        info: {
          isNative: false,
          mint: token.mint,
          owner,
          state: 'frozen',
          tokenAmount: { amount: '150', decimals: 2, uiAmount: 1.5, uiAmountString: '1.5' },
        },
      },
      program: 'spl-token',
      space: 165,
    });
    expect(await parsedData(token.mint)).toMatchObject({
      parsed: { type: 'mint', info: { supply: '150', decimals: 2 } },
    });
  });

  test('[L-42] the mint is the one at the same commitment', async () => {
    const { holding } = await frozenHolding();
    // Neither exists 32 slots ago.
    expect(await parsedData(holding, {})).toBeUndefined();
    await advanceTime(ledger, { slots: 40 });
    expect(await parsedData(holding, {})).toMatchObject({ program: 'spl-token' });
  });

  test('[L-42] many accounts and lists are parsed; a list leaves out what does not parse', async () => {
    const { token, owner, holding } = await frozenHolding();
    const unparseable = await createBlank(token);
    const config = { encoding: 'jsonParsed', ...confirmed };
    const many = await rawCall(ledger, 'getMultipleAccounts', [
      [holding, unparseable, token.authority.address],
      config,
    ]);
    expect(many.result).toMatchObject({
      value: [{ data: { program: 'spl-token' } }, { data: [expect.any(String), 'base64'] }, { data: ['', 'base64'] }],
    });
    const { result } = await rawCall(ledger, 'getProgramAccounts', [TOKEN, config]);
    const found = (result as readonly { readonly pubkey: string }[]).map((one) => one.pubkey);
    expect(found).toContain(holding);
    expect(found).not.toContain(unparseable);
    const owned = await rawCall(ledger, 'getTokenAccountsByOwner', [owner, { programId: TOKEN }, config]);
    expect(owned.result).toMatchObject({ value: [{ pubkey: holding, account: { data: { program: 'spl-token' } } }] });
  });

  test('[L-42] notifications are parsed', async () => {
    const { token } = await frozenHolding();
    const holding = await createHolding(token, await newAddress());
    const controller = new AbortController();
    onTestFinished(() => controller.abort());
    const config = { ...confirmed, encoding: 'jsonParsed' } as const;
    const ofMint = {
      memcmp: { offset: 0n, bytes: token.mint as string as Base58EncodedBytes, encoding: 'base58' },
    } as const;
    const { accountNotifications, programNotifications } = client.rpcSubscriptions;
    const signal = { abortSignal: controller.signal };
    const single = first(await accountNotifications(holding, config).subscribe(signal));
    const listed = first(await programNotifications(TOKEN, { ...config, filters: [ofMint] }).subscribe(signal));
    await run(token, mintTo(token, holding, 7n));
    const data = { parsed: { info: { tokenAmount: { amount: '7', uiAmountString: '0.07' } } } };
    expect((await single).value).toMatchObject({ data });
    expect((await listed).value).toMatchObject({ pubkey: holding, account: { data } });
  });

  test('[L-40] sysvars are parsed', async () => {
    expect(await parsedData('SysvarC1ock11111111111111111111111111111111' as Address)).toMatchObject({
      program: 'sysvar',
      parsed: { type: 'clock', info: { slot: expect.any(Number), unixTimestamp: expect.any(Number) } },
    });
  });
});
