import { findLanded } from '@legwork/program-client/history';
import {
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type Instruction,
  signTransaction,
} from '@solana/kit';
import { expect, test } from 'vitest';
import { compileMessage } from '../../src/ledger/compile.js';
import { assignTaskLegInstruction, releaseTaskLegInstruction } from '../../src/ledger/taskInstructions.js';
import { withTaskScene } from '../coordinator/taskScene.js';
import { land } from '../support/transactions.js';

const scenes = withTaskScene();

test('two releases of one leg on one blockhash both take it from their agents (S-100)', async () => {
  const scene = scenes.current;
  const { service } = scene;
  const { ledger } = scene.context;
  const [{ task }, agents] = await Promise.all([scene.listed(1), scene.twoAgents()]);
  await service.stop();
  const row = await scene.row(task.id);
  const pinned = await ledger.blockhashes.latest();
  const send = async (instruction: Instruction) => {
    const message = compileMessage(ledger.coordinator.address, pinned, [instruction]);
    const transaction = await signTransaction([ledger.coordinator.keyPair], message);
    await land(service, getBase64EncodedWireTransaction(transaction));
    return getSignatureFromTransaction(transaction);
  };

  const released: unknown[] = [];
  for (const { pubkey } of agents) {
    const leg = await scene.legRow(task.id, 0, pubkey);
    await send(await assignTaskLegInstruction(ledger, row, leg));
    const signature = await send(releaseTaskLegInstruction(ledger, row, leg, ledger.coordinator.address));
    expect(await scene.onLedger(task)).toMatchObject({ assignedLegs: 0 });
    released.push(await findLanded(ledger, signature));
  }
  expect(released).toMatchObject(
    agents.map(({ pubkey }) => ({ instructions: [{ accounts: { agent: { address: pubkey } } }] })),
  );
  await service.restart();
});
