import { LegworkError } from '@legwork/protocol/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sweepIdempotencyKeys } from '../../src/db/idempotencyKeys.js';
import type { Runs } from '../../src/operations/index.js';
import { withTestDatabase } from '../support/database.js';
import { agentBody } from '../http/fixtures.js';
import { post } from '../http/rawRequest.js';
import { headersFor, migrateDatabase, newSigner, startService, type TestService } from '../http/service.js';

const database = withTestDatabase(migrateDatabase);

/** The arguments of the operation's runs, and its effect. */
const seen: { requestKey: string | undefined }[] = [];
let act: () => Promise<void> = async () => undefined;

const registerAgent: Runs['registerAgent'] = async (_context, { agentPubkey }, { requestKey }) => {
  const run = seen.push({ requestKey });
  await act();
  const airdrop = { status: 'sent', signature: `run ${run}`, reason: null } as const;
  const configSnippets = { claudeCode: 'a', cursor: 'b' };
  return { answer: { registered: true, agentPubkey, airdrop, tokens: [], systemPrompt: 'prompt', configSnippets } };
};

let first: TestService;
let second: TestService;
let key = '';
let keys = 0;

beforeAll(async () => {
  const departures = { trustProxy: ['127.0.0.1'] };
  [first, second] = await Promise.all([
    startService(database.connectionString, { registerAgent }, departures),
    startService(database.connectionString, { registerAgent }, departures),
  ]);
});
afterAll(() => Promise.all([first.close(), second.close()]));
beforeEach(() => {
  seen.length = 0;
  act = async () => undefined;
  keys += 1;
  key = `request ${keys}`;
});

const BODY = agentBody();

const send = (body = BODY, headers: Record<string, string> = {}, to = first) =>
  post(to.port, '/agents', body, { 'content-type': 'application/json', 'idempotency-key': key, ...headers });

/** Holds the operation until it is let go; `reached` once it is there. */
function gate() {
  let open = () => undefined as void;
  let arrive = () => undefined as void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const reached = new Promise<void>((resolve) => (arrive = resolve));
  act = async () => {
    arrive();
    await opened;
  };
  return { open, reached };
}

describe('a request with a name', () => {
  test('[S-25] is run once; repeats get the first answer, and are told so', async () => {
    const answers = [await send(), await send(), await send(BODY, {}, second)];
    expect(answers.map(({ status, headers }) => [status, headers['idempotency-replayed']])).toEqual([
      [200, undefined],
      [200, 'true'],
      [200, 'true'],
    ]);
    expect(answers[1]?.body).toEqual(answers[0]?.body);
    expect(answers[2]?.body).toEqual(answers[0]?.body);
    expect(answers[2]?.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(seen).toHaveLength(1);
  });

  test('[S-25] is run once, however many arrive together at however many replicas', async () => {
    const { open, reached } = gate();
    const one = send();
    await reached;
    const others = await Promise.all(Array.from({ length: 19 }, (_, at) => send(BODY, {}, at % 2 ? first : second)));
    open();
    expect((await one).status).toBe(200);
    expect(others.map(({ status, body }) => [status, body['code']])).toEqual(
      others.map(() => [409, 'idempotency_in_progress']),
    );
    expect(seen).toHaveLength(1);
  });

  test('[S-25] twenty at once are one', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => send(BODY, {}, at % 2 ? first : second)));
    expect(seen).toHaveLength(1);
    const statuses = answers.map(({ status }) => status);
    expect(statuses).toContain(200);
    expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
  });

  test('[S-25] with another body is refused', async () => {
    await send();
    const { status, body } = await send(agentBody());
    expect([status, body['code']]).toEqual([422, 'idempotency_key_reused']);
    expect(seen).toHaveLength(1);
  });

  test('[S-25] is another one from another client, and under another name', async () => {
    await send();
    await send(BODY, { 'x-forwarded-for': '203.0.113.9' });
    await send(BODY, { 'idempotency-key': `${key} too` });
    expect(seen).toHaveLength(3);
    expect(new Set(seen.map(({ requestKey }) => requestKey)).size).toBe(3);
  });

  test('[S-25] is the same one from another address when it is signed by the same key', async () => {
    const signer = newSigner();
    const body = JSON.stringify({ agentPubkey: signer.pubkey });
    const signed = async (from: string) => {
      const headers = await headersFor(first, { signer, path: '/agents', body });
      return send(body, { ...headers, host: new URL(first.url).host, 'x-forwarded-for': from });
    };
    await signed('203.0.113.1');
    expect((await signed('203.0.113.2')).headers['idempotency-replayed']).toBe('true');
    expect((await send(body)).headers['idempotency-replayed']).toBeUndefined();
  });

  test('[S-25] signed, is repeated with a signature of its own: a spent nonce gets no answer', async () => {
    const signer = newSigner();
    const body = JSON.stringify({ agentPubkey: signer.pubkey });
    const headers = await headersFor(first, { signer, path: '/agents', body });
    const same = () => send(body, { ...headers, host: new URL(first.url).host });
    expect((await same()).status).toBe(200);
    expect((await same()).body['code']).toBe('replayed_nonce');
  });

  test('[S-25] signed, is repeated with a signature of its own as a tool call too', async () => {
    const signer = newSigner();
    const body = JSON.stringify({ tool: 'svc_register_agent', arguments: { agentPubkey: signer.pubkey } });
    const call = async (headers: Record<string, string>) => {
      const own = { 'content-type': 'application/json', 'idempotency-key': key, host: new URL(first.url).host };
      return post(first.port, '/mcp/call', body, { ...own, ...headers });
    };
    const sign = () => headersFor(first, { signer, path: '/mcp/call', body });
    const overheard = await sign();
    const answer = await call({ ...overheard });
    expect(answer.body['isError']).toBe(false);
    expect(JSON.stringify((await call({ ...overheard })).body)).toContain('replayed_nonce');
    const again = await call({ ...(await sign()) });
    expect([again.headers['idempotency-replayed'], again.body]).toEqual(['true', answer.body]);
    expect(seen).toHaveLength(1);
  });

  test.each(['', ' ', 'é', 'a\tb', 'x'.repeat(256)])('[S-25] of another form is refused: "%s"', async (name) => {
    const { status, body } = await send(BODY, { 'idempotency-key': name });
    expect([status, body['code']]).toEqual([400, 'invalid_input']);
    expect(body['errors']).toEqual([{ field: 'Idempotency-Key', message: expect.stringContaining('1 to 255') }]);
    expect(seen).toHaveLength(0);
  });
});

describe('what a named request came to', () => {
  test('[S-25] is kept when it was refused for good', async () => {
    act = () => Promise.reject(LegworkError.field('bid_above_budget', 'costSol', 'is too much'));
    const refused = await send();
    const again = await send();
    expect([again.status, again.headers['idempotency-replayed'], again.body]).toEqual([422, 'true', refused.body]);
    expect(again.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(seen).toHaveLength(1);
  });

  test.each(['invalid_status', 'signature_required', 'ledger_unavailable', 'internal_error'] as const)(
    '[S-25] is forgotten when another try may pass: %s',
    async (code) => {
      act = () => Promise.reject(new LegworkError(code, 'not now'));
      expect((await send()).body['code']).toBe(code);
      act = async () => undefined;
      const again = await send();
      expect([again.status, again.headers['idempotency-replayed']]).toEqual([200, undefined]);
      expect(seen[1]?.requestKey).toBe(seen[0]?.requestKey);
    },
  );

  test('[S-25] is nothing when its input was wrong: mended, it may keep its name', async () => {
    expect((await send('{}')).status).toBe(400);
    expect((await send()).status).toBe(200);
  });

  test('[S-25] is left to a repeat when the replica that ran it died', async () => {
    const { open, reached } = gate();
    const dying = send();
    await reached;
    await sql`update idempotency_keys set locked_until = now() - interval '1 second'`.execute(first.context.db);
    act = async () => undefined;
    const again = await send();
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([200, undefined]);
    expect(seen[1]?.requestKey).toBe(seen[0]?.requestKey);
    open();
    await dying;
    const kept = (await send()).body['airdrop'];
    expect(kept).toEqual(again.body['airdrop']);
  });

  test('[S-25] is not left to a repeat for as long as it is under way', async () => {
    const { db } = first.context;
    const { open, reached } = gate();
    const slow = send();
    await reached;
    await sql`update idempotency_keys set locked_until = now() - interval '1 second'`.execute(db);
    const isRenewed = async () =>
      db
        .selectFrom('idempotency_keys')
        .select('key')
        .where('key', '=', key)
        .where('locked_until', '>', sql<Date>`now()`)
        .execute();
    await expect.poll(isRenewed).toHaveLength(1);
    expect((await send()).body['code']).toBe('idempotency_in_progress');
    open();
    expect((await slow).status).toBe(200);
  });

  test('[S-25] is given again for a day, then forgotten', async () => {
    const { db } = first.context;
    await send();
    await sql`update idempotency_keys set created_at = now() - interval '23 hours 59 minutes'`.execute(db);
    expect((await send()).headers['idempotency-replayed']).toBe('true');
    await sql`update idempotency_keys set created_at = now() - interval '24 hours 1 minute'`.execute(db);
    const again = await send(agentBody());
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([200, undefined]);
    await sql`update idempotency_keys set created_at = now() - interval '24 hours 1 minute'`.execute(db);
    await first.context.db
      .insertInto('idempotency_keys')
      .values({ scope: 'new', key, request_hash: 'x', status: null, body: null, locked_until: new Date() })
      .execute();
    await sweepIdempotencyKeys(db);
    expect(await db.selectFrom('idempotency_keys').select('scope').execute()).toEqual([{ scope: 'new' }]);
  });
});

test('[S-25] a request without a name is run every time', async () => {
  const bare = () => post(first.port, '/agents', BODY);
  await bare();
  await bare();
  expect(seen).toEqual([{ requestKey: undefined }, { requestKey: undefined }]);
});
