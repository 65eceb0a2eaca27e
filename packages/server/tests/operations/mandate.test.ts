import { cancelDigitalTask, listDigitalTask } from '@legwork/sdk';
import { expect, test } from 'vitest';
import { refusalOf } from '../support/sdkRefusal.js';
import { withService } from '../support/service.js';
import { goal, mandated, ONE } from './mandateScene.js';

const service = withService({ settings: (usual) => ({ ...usual, LIMIT_AIRDROPS: '0' }) });

test("a delegate lists with an owner's money up to the cap of the period, and what is left goes back there (P-116, M-96)", async () => {
  const { owner, delegate, at, held } = await mandated(service.current);
  const { client, signer } = delegate;
  const listed = await listDigitalTask(client, signer, goal(owner, 3n * ONE));
  if (listed.open !== null) throw new Error('the service did not answer');
  expect(listed).toMatchObject({
    shipperPubkey: delegate.pubkey,
    funderPubkey: at,
    asset: 'usdc',
    maxBudget: 3n * ONE,
  });
  expect(await held()).toMatchObject({ units: 17n * ONE });

  const refusal = await refusalOf(listDigitalTask(client, signer, goal(owner, 2n * ONE + 1n)));
  expect(refusal).toMatchObject({ code: 'invalid_input' });
  expect(refusal.message).toMatch(
    /mandateOwnerPubkey: is of the mandate at \w+, which has not so much left of its period/,
  );
  const stranger = await service.current.party(1);
  expect(await refusalOf(listDigitalTask(stranger.client, stranger.signer, goal(owner, ONE)))).toMatchObject({
    message: expect.stringMatching(/which does not exist/) as string,
  });

  await cancelDigitalTask(client, service.current.rpc, signer, listed.id);
  expect(await held()).toMatchObject({ units: 20n * ONE });
});
