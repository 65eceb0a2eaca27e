import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { draft } from '../support/market.js';
import { withService } from '../support/service.js';
import { fundedKey, openedBridge, type Person, startedBridge } from './bridgeClient.js';

const service = withService();
const PARCEL = { ...draft({ maxBudgetSol: 0.1 }) };
const PATIENT = { timeout: 60_000 };
const LIMITS = { perTransaction: 0.05, perDay: 1, inAll: 1 };

/** A bridge whose limits the parcel passes, of a host without dialogs unless a person is there. */
async function bridgeAt(approvals: Record<string, unknown>, person?: Person) {
  const owner = await fundedKey(service.current);
  const of = { key: owner.key, service: service.current.server.url, limits: LIMITS, approvals };
  const bridge = await openedBridge(of, person ? { person } : {});
  const signed = async () => (await owner.journal()).filter(({ kind }) => kind === 'signed').length;
  const addressesSaid = () => bridge.said.map((line) => /http:\/\/\S+/.exec(line)?.[0] ?? '');
  const page = () => vi.waitFor(() => addressesSaid().at(-1) ?? Promise.reject(new Error('nobody was asked')), PATIENT);
  return { ...bridge, signed, page, file: owner.key.replace('.json', '.approvals') };
}

const decide = (address: string, decision: string, origin: string = new URL(address).origin) =>
  fetch(address, { method: 'POST', headers: { origin }, body: new URLSearchParams({ decision }) });

test('a host without dialogs posts above a limit once a person allows what the page shows (A-115)', async () => {
  const { call, page, signed, file } = await bridgeAt({ waitSec: 300 });
  const calling = call('post_package', PARCEL);
  const address = await page();
  expect(readFileSync(file, 'utf8')).toContain(address);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const shown = await (await fetch(address)).text();
  expect(shown).toContain('Sign listPackage?');
  expect(shown).toContain('Locks in escrow: 0.1 SOL');
  // The first button pays nothing.
  expect(/<button name="decision" value="(\w+)"/.exec(shown)?.[1]).toBe('refuse');
  expect(await signed()).toBe(0);
  expect(await (await decide(address, 'allow')).text()).toContain('<h1>Allowed</h1>');
  expect((await calling).isError).toBe(false);
  expect(await signed()).toBe(1);
  expect(existsSync(file)).toBe(false);
});

test('the built command does so from an empty folder, with the usual limits (A-115)', async () => {
  const { key, journal } = await fundedKey(service.current);
  const cwd = await mkdtemp(join(tmpdir(), 'legwork-empty-'));
  const { call, stderr, problems } = await startedBridge(['--key', key, '--url', service.current.server.url], { cwd });
  const calling = call('post_package', PARCEL);
  const address = await vi.waitFor(
    () => /http:\/\/127\S+\/\S{40,}/.exec(stderr())?.[0] ?? Promise.reject(new Error(stderr())),
    PATIENT,
  );
  await decide(address, 'allow');
  expect((await calling).isError).toBe(false);
  expect((await journal()).filter(({ kind }) => kind === 'signed')).toHaveLength(1);
  expect(problems).toEqual([]);
});

test('a call that does not wait so long goes on when it is made again, once (A-115)', async () => {
  const { call, refusalOf, page, signed } = await bridgeAt({ waitSec: 0 });
  const pending = await refusalOf('post_package', PARCEL);
  expect(pending).toMatchObject({ code: 'approval_pending', hint: expect.stringContaining('only they decide') });
  const address = await page();
  // Neither the address nor where it stands: an obedient model would go there.
  for (const told of [new URL(address).pathname, '.approvals']) expect(JSON.stringify(pending)).not.toContain(told);
  // Another call has a page of its own.
  expect(await refusalOf('post_package', { ...PARCEL, maxBudgetSol: 0.2 })).toMatchObject({ code: 'approval_pending' });
  await decide(address, 'allow');
  expect((await call('post_package', PARCEL)).isError).toBe(false);
  expect(await signed()).toBe(1);
  expect(await refusalOf('post_package', PARCEL)).toMatchObject({ code: 'approval_pending' });
  expect(await signed()).toBe(1);
});

test('what a person refuses is not signed, and a page takes one decision (A-115)', async () => {
  const { refusalOf, page, signed } = await bridgeAt({ waitSec: 0 });
  await refusalOf('post_package', PARCEL);
  const address = await page();
  await decide(address, 'refuse');
  expect(await (await decide(address, 'allow')).text()).toContain('<h1>Refused</h1>');
  expect(await refusalOf('post_package', PARCEL)).toMatchObject({ code: 'not_allowed' });
  expect((await decide(address, 'allow')).status).toBe(404);
  expect(await signed()).toBe(0);
});

test('nobody decides from another page, under another name, or by guessing (A-115)', async () => {
  const { refusalOf, page, signed } = await bridgeAt({ waitSec: 0 });
  await refusalOf('post_package', PARCEL);
  const address = await page();
  const { origin, port, pathname } = new URL(address);
  const raw = (headers: Record<string, string>, method = 'POST', path = pathname) =>
    new Promise<number | undefined>((resolve, reject) => {
      const sent = httpRequest({ host: '127.0.0.1', port, path, method, headers }, ({ statusCode }) =>
        resolve(statusCode),
      );
      sent.once('error', reject).end(method === 'GET' ? undefined : 'decision=allow');
    });
  expect([
    (await decide(address, 'allow', 'https://elsewhere.example')).status,
    (await decide(address, 'allow', 'null')).status,
    await raw({}),
    await raw({ host: `evil.example:${port}`, origin: `http://evil.example:${port}` }),
    await raw({ host: `evil.example:${port}` }, 'GET'),
    await raw({ origin }, 'POST', '/'),
    await raw({ origin }, 'POST', `${pathname.slice(0, -1)}!`),
    await raw({ origin }, 'PUT'),
  ]).toEqual([404, 404, 404, 404, 404, 404, 404, 405]);
  // Neither a word that is none, nor one that hides in too long a body.
  for (const word of ['', 'yes', `${'x'.repeat(200)}&decision=allow`]) await decide(address, word);
  const { headers } = await fetch(address);
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  expect(await refusalOf('post_package', PARCEL)).toMatchObject({ code: 'approval_pending' });
  expect(await signed()).toBe(0);
});

test('nothing is signed once the time of the policy is over (A-115)', async () => {
  const { refusalOf, page, signed } = await bridgeAt({ waitSec: 0, withinSec: 0.001 });
  await refusalOf('post_package', PARCEL);
  expect((await decide(await page(), 'allow')).status).toBe(404);
  expect(await refusalOf('post_package', PARCEL)).toMatchObject({ code: 'approval_pending' });
  expect(await signed()).toBe(0);
});

test('a host whose dialog says no by itself has the call asked on the page after the second time (A-115)', async () => {
  const person: Person = { asked: [], answer: 'decline' };
  const { call, refusalOf, page, signed } = await bridgeAt({ waitSec: 0 }, person);
  for (const _time of [1, 2]) {
    const no = { code: 'not_allowed', hint: expect.stringContaining('a page asks') };
    expect(await refusalOf('post_package', PARCEL)).toMatchObject(no);
  }
  expect(await refusalOf('post_package', PARCEL)).toMatchObject({ code: 'approval_pending' });
  expect(person.asked).toHaveLength(2);
  await decide(await page(), 'allow');
  expect((await call('post_package', PARCEL)).isError).toBe(false);
  expect(await signed()).toBe(1);
});

test('the owner is told what waits, without the address, and a phone that does not answer stops nothing (A-115)', async () => {
  const told: string[] = [];
  const phone = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (text: string) => told.push(text));
    request.on('end', () => response.writeHead(500).end());
  });
  await new Promise<void>((listening) => phone.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void phone.close());
  const { port } = phone.address() as AddressInfo;
  const { refusalOf, page } = await bridgeAt({ waitSec: 0, notify: `http://127.0.0.1:${port}/ada` });
  await refusalOf('post_package', PARCEL);
  const { title, text } = await vi.waitFor(() => JSON.parse(told.join('')) as Record<string, string>, PATIENT);
  expect(title).toBe('Legwork: sign listPackage?');
  expect(text).toContain('Locks in escrow: 0.1 SOL');
  expect(text).not.toContain(new URL(await page()).pathname.slice(1));
  const silent = await bridgeAt({ waitSec: 0, notify: 'http://127.0.0.1:1/' });
  expect(await silent.refusalOf('post_package', PARCEL)).toMatchObject({ code: 'approval_pending' });
});

test('a bridge that closes ends the call that is just about to wait for a person (A-115)', async () => {
  const { bridge, call, page, signed, file } = await bridgeAt({ waitSec: 300 });
  const calling = call('post_package', PARCEL).catch((closed: unknown) => closed);
  await page();
  await bridge.close();
  await calling;
  expect(await signed()).toBe(0);
  expect(existsSync(file)).toBe(false);
});

test('no more than twenty wait at a time: what comes then is refused (A-115)', async () => {
  const { refusalOf } = await bridgeAt({ waitSec: 0 });
  for (let asked = 0; asked < 20; asked += 1) await refusalOf('post_package', { ...PARCEL, weightKg: 1 + asked });
  expect(await refusalOf('post_package', { ...PARCEL, weightKg: 30 })).toMatchObject({ code: 'over_limit' });
});
