import { createLedgerRpc } from '@legwork/program-client/history';
import { expect, test } from 'vitest';
import { landProof } from '../../src/operations/proof.js';
import { LyingNode } from '../support/lyingNode.js';
import { withService } from '../support/service.js';
import { land, signed, transfer } from '../support/transactions.js';

const service = withService();

test('a proof with a transaction that cannot be read is refused, and is no proof of anything (S-101)', async () => {
  const [{ signer }, other] = await Promise.all([service.current.party(1), service.current.party(1)]);
  const signature = await land(
    service.current,
    await signed(service.current, [signer], [transfer(signer, other.signer)]),
  );
  const context = await service.current.context();
  await context.db.destroy();
  const node = await LyingNode.start(service.current.ledger.rpcUrl);
  try {
    await node.begin({ kind: 'unreadable', signatures: new Set([signature]) });
    const judged: unknown[] = [];
    const landing = landProof(
      { ...context, ledger: { ...context.ledger, rpc: createLedgerRpc(node.url) } },
      { signature, field: 'signature' },
      { builtBy: 'POST /packages/build-tx', judge: (instructions) => judged.push(instructions) },
    );
    await expect(landing).rejects.toMatchObject({
      code: 'wrong_transaction',
      message: expect.stringContaining('its version is above'),
    });
    expect(judged).toEqual([]);
  } finally {
    await node.close();
  }
});
