import { createLegworkClient, everyItem } from '@legwork/sdk';
import { createKeyPairSignerFromPrivateKeyBytes, generateKeyPairSigner, getBase58Encoder } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { runHere } from '../../../cli/tests/support/line.js';
import { refusalOf } from '../support/sdkRefusal.js';
import { openedBefore } from '../pages/ops.js';
import { withService } from '../support/service.js';

const service = withService();
const refused = { status: 403, code: 'operators_only' };

const clientOf = (signer: Awaited<ReturnType<typeof generateKeyPairSigner>>) =>
  createLegworkClient({ url: service.current.server.url, signer });
const operator = async () => clientOf((await service.current.operator()).signer);

describe('a key that an operator opened', () => {
  test('reads and acts as an operator, opens no other, and its acts name who opened it (S-262)', async () => {
    const signer = await generateKeyPairSigner();
    const session = clientOf(signer);
    expect(await refusalOf(session.getOperations())).toMatchObject(refused);
    const opened = await (await operator()).actAsOperator({ act: 'open', key: signer.address });
    expect(opened).toMatchObject({ isDone: true, outcome: expect.stringContaining(signer.address) });
    const { openUntil } = await session.getOperations();
    expect(openUntil).toBeInstanceOf(Date);
    expect((await (await operator()).getOperations()).openUntil).toBeNull();
    expect(await session.actAsOperator({ act: 'sweep' })).toMatchObject({ isDone: true });
    const another = (await generateKeyPairSigner()).address;
    expect(await refusalOf(session.actAsOperator({ act: 'open', key: another }))).toMatchObject(refused);
    const authority = (await service.current.operator()).pubkey;
    const { items } = await session.listOperatorActs();
    expect(items).toMatchObject([
      { act: 'sweep', operatorPubkey: signer.address, openedBy: authority, body: '{"act":"sweep"}' },
      { act: 'open', operatorPubkey: authority, openedBy: null, target: `key:${signer.address}` },
    ]);
  });

  test('is closed by itself, by who has its address too, and by an operator, and closes no other (S-262)', async () => {
    const [first, second] = [await generateKeyPairSigner(), await generateKeyPairSigner()];
    for (const { address: key } of [first, second]) await (await operator()).actAsOperator({ act: 'open', key });
    const other = clientOf(first).actAsOperator({ act: 'close', key: second.address });
    expect(await refusalOf(other)).toMatchObject(refused);
    await clientOf(first).actAsOperator({ act: 'close' });
    expect(await refusalOf(clientOf(first).getOperations())).toMatchObject(refused);
    expect((await clientOf(second).getOperations()).openUntil).toBeInstanceOf(Date);
    await (await operator()).actAsOperator({ act: 'close', key: second.address });
    expect(await refusalOf(clientOf(second).getOperations())).toMatchObject(refused);
  });

  test('cannot hide what it did behind what it does next: the log is read to its beginning (S-261)', async () => {
    const client = await operator();
    for (let sweeps = 0; sweeps < 3; sweeps += 1) await client.actAsOperator({ act: 'sweep' });
    const all: Awaited<ReturnType<typeof client.listOperatorActs>>['items'][number][] = [];
    for await (const one of everyItem(client.listOperatorActs, { limit: 2 })) all.push(one);
    expect(all.length).toBeGreaterThan(4);
    expect(all.map(({ at }) => at.getTime())).toEqual(all.map(({ at }) => at.getTime()).toSorted((a, b) => b - a));
    expect(new Set(all.map(({ signature }) => signature)).size).toBe(all.length);
  });

  test('is open for an hour (S-262)', async () => {
    const [recent, former] = [await generateKeyPairSigner(), await generateKeyPairSigner()];
    const { pubkey } = await service.current.operator();
    await openedBefore(service.current, pubkey, recent.address, 59);
    await openedBefore(service.current, pubkey, former.address, 61);
    expect((await clientOf(recent).getOperations()).openUntil).toBeInstanceOf(Date);
    expect(await refusalOf(clientOf(former).getOperations())).toMatchObject(refused);
  });

  test('is none once who opened it is no operator, and strangers open none (S-262)', async () => {
    const [signer, stranger] = [await generateKeyPairSigner(), await generateKeyPairSigner()];
    await openedBefore(service.current, stranger.address, signer.address, 1);
    expect(await refusalOf(clientOf(signer).getOperations())).toMatchObject(refused);
    const opening = clientOf(stranger).actAsOperator({ act: 'open', key: stranger.address });
    expect(await refusalOf(opening)).toMatchObject(refused);
    const unnamed = (await operator()).actAsOperator({ act: 'open' });
    expect(await refusalOf(unnamed)).toMatchObject({ code: 'invalid_input' });
  });

  test('comes with the address that `legwork ops open` prints, behind the # that browsers send to nobody (S-262)', async () => {
    const { path } = service.current.ledger.keypairs.authority;
    const { url } = service.current.server;
    const shown = await runHere(['ops', 'open'], { LEGWORK_URL: url, LEGWORK_KEY: path });
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    const [, page, secret = ''] = /^(\S+)#(\w+)\n/.exec(shown.stdout) ?? [];
    expect(page).toBe(`${url}/ops`);
    const bytes = Uint8Array.from(getBase58Encoder().encode(secret));
    const session = clientOf(await createKeyPairSignerFromPrivateKeyBytes(bytes));
    expect((await session.getOperations()).openUntil).toBeInstanceOf(Date);
  });
});

describe('a service that lets anybody read how it stands', () => {
  const open = withService({ settings: (usual) => ({ ...usual, OPERATIONS_PUBLIC: 'on' }) });
  const strangers = async () => [
    createLegworkClient({ url: open.current.server.url }),
    (await open.current.party(0)).client,
  ];

  test('tells it to everybody, and lets operators alone act and read who did (S-263)', async () => {
    for (const stranger of await strangers()) {
      expect(await stranger.getOperations()).toMatchObject({ openUntil: null, attention: [] });
    }
    const { client } = await open.current.party(0);
    expect(await refusalOf(client.actAsOperator({ act: 'sweep' }))).toMatchObject(refused);
    expect(await refusalOf(client.listOperatorActs())).toMatchObject(refused);
    const nobody = createLegworkClient({ url: service.current.server.url });
    expect(await refusalOf(nobody.getOperations())).toMatchObject({ status: 401, code: 'signature_required' });
  });
});
