import { signature as asSignature } from '@solana/kit';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../src/config.js';
import { createContext } from '../../src/createContext.js';
import { acceptInstruction, claimInstruction } from '../../src/ledger/moveInstructions.js';
import { findBoundLeg } from '../../src/legs/moveRows.js';
import { applyLanded, MisfitError, readListed } from '../../src/mirror/applyLanded.js';
import { at, formedWithTerms } from '../operations/turns/scene.js';
import { LyingNode } from '../support/lyingNode.js';
import { withService } from '../support/service.js';
import { land, signed } from '../support/transactions.js';

const service = withService({ finality: 'delayed' });

/** The context of a service beside a node of its own. */
async function behindNode() {
  const node = await LyingNode.start(service.current.ledger.rpcUrl);
  const settings = { ...service.current.environment(), SOLANA_RPC_URL: node.url, SOLANA_WS_URL: node.wsUrl };
  const config = loadConfig({ ...settings, LOG_LEVEL: 'silent' });
  const context = await createContext(config, service.current.server.url, pino({ level: 'silent' }));
  onTestFinished(async () => {
    await context.db.destroy();
    await node.close();
  });
  return { node, context };
}

test('a move that does not fit is not passed over before it is final: the node may not show yet what came before it (S-51)', async () => {
  const cast = await formedWithTerms(service.current, [['zoo', 'ostkreuz', 0.1]]);
  const legId = at(cast.parcel.swarm?.legs ?? [], 0).id;
  const { signer } = at(cast.couriers, 0);
  await service.current.stop();
  const { node, context } = await behindNode();
  const leg = (await findBoundLeg(context.db, legId))?.of;
  if (!leg) throw new Error('the leg has terms and a courier');
  const take = { courier: signer, take: true, lister: cast.shipper.signer.address };
  const claim = { courier: signer, evidenceHash: new Uint8Array(32).fill(1) };
  await land(
    service.current,
    await signed(service.current, [signer], [await acceptInstruction(context.ledger, leg, take)]),
  );
  await service.current.advanceTime(60);
  const claiming = await signed(service.current, [signer], [await claimInstruction(context.ledger, leg, claim)]);
  const signature = await land(service.current, claiming);
  const moves = async () => {
    const rows = await context.db
      .selectFrom('leg_moves')
      .select('move')
      .where('leg_id', '=', legId)
      .orderBy('id')
      .execute();
    return rows.map(({ move }) => move);
  };

  const { value } = await service.current.rpc.getSignatureStatuses([asSignature(signature)]).send();
  const slot = value[0]?.slot ?? 0n;
  const pruned = await node.begin({ kind: 'pruned', below: Number(slot) });
  const landed = await readListed(context, { signature, slot, final: false });
  if (landed === undefined) throw new Error('the claim can be read');
  await expect(applyLanded(context, landed)).rejects.toThrow(MisfitError);
  expect(await moves()).toEqual([]);
  await pruned.end();
  await applyLanded(context, landed);
  expect(await moves()).toEqual(['take', 'claim']);
});
