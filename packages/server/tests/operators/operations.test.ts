import {
  address,
  generateKeyPairSigner,
  getBase58Decoder,
  getBase58Encoder,
  getPublicKeyFromAddress,
  signatureBytes,
  verifySignature,
} from '@solana/kit';
import { createLegworkClient } from '@legwork/sdk';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { runHere } from '../../../cli/tests/support/line.js';
import { listPackage } from '../support/listed.js';
import { draft } from '../support/market.js';
import { refusalOf } from '../support/sdkRefusal.js';
import { TestService } from '../support/service.js';
import { until } from '../support/until.js';

let service: TestService;
let configured: Awaited<ReturnType<TestService['party']>>;

beforeAll(async () => {
  const signer = await generateKeyPairSigner();
  service = await TestService.start({ lying: true, settings: () => ({ OPERATORS: signer.address }) });
  configured = { signer, pubkey: signer.address, client: createLegworkClient({ url: service.server.url, signer }) };
});
afterEach(() => service.node.mend());
afterAll(() => service.close());

const clientOf = ({ signer }: typeof configured) => createLegworkClient({ url: service.server.url, signer });

describe('the operators of a service', () => {
  test('are the keys that it is configured with and the authority of the program; nobody else reads how it stands (S-260)', async () => {
    const authority = await service.operator();
    for (const operator of [clientOf(configured), clientOf(authority)]) {
      await until('it has caught up', async () => (await operator.getOperations()).rebuilt);
      expect(await operator.getOperations()).toMatchObject({ unnumberedEvents: 0, attention: [] });
    }
    const stranger = clientOf(await service.party(0));
    const refused = { status: 403, code: 'operators_only' };
    expect(await refusalOf(stranger.getOperations())).toMatchObject(refused);
    expect(await refusalOf(stranger.listOperatorActs())).toMatchObject(refused);
    expect(await refusalOf(stranger.actAsOperator({ act: 'retry', intentId: '1' }))).toMatchObject(refused);
  });

  test('see what waits and why, and have it tried at once (S-260, S-261)', async () => {
    const operator = clientOf(await service.operator());
    const shipper = await service.party();
    await service.node.begin({ kind: 'refused' });
    const asked = { ...draft({ maxBudgetSol: 0.1 }), shipperPubkey: shipper.pubkey };
    const posting = clientOf(shipper).postSponsored(asked);
    const waiting = () =>
      service.db
        .selectFrom('outbox')
        .select('id')
        .where('kind', '=', 'list_package')
        .where('status', '<>', 'done')
        .execute();
    await until('it waits', async () => (await waiting()).length === 1);
    await service.db
      .updateTable('outbox')
      .set({ created_at: new Date(Date.now() - 120_000) })
      .execute();
    const { attention, ledger } = await operator.getOperations();
    expect(ledger.slot).toBeNull();
    expect(attention.map(({ of }) => of)).toEqual(['ledger', 'intent']);
    const [, intent] = attention;
    expect(intent).toMatchObject({ acts: ['retry'], cause: expect.stringContaining('list_package waits') });
    await service.node.mend();
    const retried = await operator.actAsOperator({ act: 'retry', intentId: intent?.intentId ?? '' });
    expect(retried).toEqual({ isDone: true, outcome: 'list_package is due now' });
    expect((await posting).status).toBe('listed');
    const over = operator.actAsOperator({ act: 'retry', intentId: intent?.intentId ?? '' });
    expect(await refusalOf(over)).toMatchObject({ code: 'invalid_status' });
    expect(await refusalOf(operator.actAsOperator({ act: 'retry', intentId: '999999' }))).toMatchObject({
      code: 'not_found',
    });
    expect(await refusalOf(operator.actAsOperator({ act: 'retry' }))).toMatchObject({ code: 'invalid_input' });
  });

  test('see what was given up, and what halts, and have the first tried from the beginning (S-260, S-261)', async () => {
    const { db } = service;
    const operator = clientOf(await service.operator());
    const shipper = await service.party();
    const { id } = await listPackage(clientOf(shipper), shipper.signer, draft({}));
    const subject = `package:${id}`;
    const { id: intentId } = await db
      .insertInto('outbox')
      .values({ kind: 'settle', subject, unique_key: `settle:${id}`, payload: '{}', status: 'failed', attempts: 7 })
      .returning('id')
      .executeTakeFirstOrThrow();
    // No ledger knows it, so that the watch does not take the halt back.
    const signature = getBase58Decoder().decode(crypto.getRandomValues(new Uint8Array(64)));
    await db
      .insertInto('ledger_transactions')
      .values({ signature, slot: 1n, subjects: [subject], reverted_at: new Date() })
      .execute();
    const seen = await operator.getOperations();
    expect(seen.ledger.halted).toBe(1);
    expect(seen.attention).toMatchObject([
      {
        of: 'intent',
        subject,
        intentId: String(intentId),
        acts: ['retry'],
        cause: expect.stringContaining('after 7 tries'),
      },
      { of: 'halt', subject, acts: ['heal'], cause: expect.stringContaining('took back') },
    ]);
    expect(await operator.actAsOperator({ act: 'retry', intentId: String(intentId) })).toMatchObject({ isDone: true });
    const retried = db.selectFrom('outbox').select('attempts').where('id', '=', intentId);
    expect(await retried.executeTakeFirst()).toEqual({ attempts: 0 });
    await db.deleteFrom('outbox').where('id', '=', intentId).execute();
    await db.deleteFrom('ledger_transactions').where('signature', '=', signature).execute();
    expect((await operator.getOperations()).attention).toEqual([]);
  });

  test('leave a proof of each act, which nobody changes or removes (S-261)', async () => {
    const authority = await service.operator();
    const operator = clientOf(authority);
    const { id } = await listPackage(clientOf(await service.party()), (await service.party()).signer, draft({}));
    expect(await operator.actAsOperator({ act: 'heal', listingId: id })).toMatchObject({ isDone: false });
    const { items } = await operator.listOperatorActs();
    const [newest] = items;
    expect(newest).toMatchObject({ act: 'heal', target: `package:${id}`, operatorPubkey: authority.pubkey });
    const key = await getPublicKeyFromAddress(address(authority.pubkey));
    const bytes = signatureBytes(getBase58Encoder().encode(newest?.signature ?? ''));
    expect(await verifySignature(key, bytes, new TextEncoder().encode(newest?.text))).toBe(true);
    const change = service.db.updateTable('operator_acts').set({ target: 'package:nothing' }).execute();
    await expect(change).rejects.toThrow('only added to');
    await expect(service.db.deleteFrom('operator_acts').execute()).rejects.toThrow('only added to');
  });

  test('see what the last audit found that one of them told, and that differences need attention (S-260, S-261)', async () => {
    const operator = clientOf(configured);
    expect(await refusalOf(operator.actAsOperator({ act: 'audit' }))).toMatchObject({
      code: 'invalid_input',
      fields: ['differences'],
    });
    const stranger = clientOf(await service.party(0));
    expect(await refusalOf(stranger.actAsOperator({ act: 'audit', differences: 0 }))).toMatchObject({ status: 403 });
    expect((await operator.getOperations()).audited).toBeNull();
    await operator.actAsOperator({ act: 'audit', differences: 2 });
    const found = await operator.getOperations();
    expect(found.audited).toEqual({ at: expect.any(Date), differences: 2, operatorPubkey: configured.pubkey });
    expect(found.attention).toMatchObject([{ of: 'audit', cause: expect.stringContaining('found 2 differences') }]);
    await operator.actAsOperator({ act: 'audit', differences: 0 });
    expect(await operator.getOperations()).toMatchObject({ audited: { differences: 0 }, attention: [] });
  });

  test('read it on a screen, and have it done from there (S-260, S-261)', async () => {
    const { path } = service.ledger.keypairs.authority;
    const run = (...args: string[]) =>
      runHere(['ops', ...args], { LEGWORK_URL: service.server.url, LEGWORK_KEY: path });
    const shown = await run('status');
    expect(shown.stderr).toBe('');
    expect(shown.stdout).toMatch(/Coordinator {3}\w+ has [\d.]+ SOL; reserve .*\n[^]*Nothing needs attention\./);
    const { items } = await clientOf(configured).listPackages({ limit: 1 });
    const healed = await run('heal', items[0]?.id ?? '');
    expect(healed).toMatchObject({ code: 0, stderr: '', stdout: 'Not yet: it is not halted any more.\n' });
    const { id } = await service.db.selectFrom('outbox').select('id').limit(1).executeTakeFirstOrThrow();
    expect((await run('retry', String(id))).stderr).toContain('names an intent that is done');
    expect((await run('retry', 'x')).stderr).toContain('names no intents that wait');
    expect((await run('retry', 'X')).stderr).toContain('must be the number of an intent');
    expect((await run('acts')).stdout).toMatch(/heal +package:/);
  });
});
