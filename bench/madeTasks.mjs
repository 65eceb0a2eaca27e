// The digital tasks of a made ledger: what each does there.
import * as client from '@legwork/program-client';
import { resultHash, taskTermsHash } from '@legwork/protocol/rules';
import { BUDGET, hexBytes, termsOf } from './madeTerms.mjs';

const LEGS = 4;

/** The transactions of a digital task of four legs, to its settlement. */
export async function makeTask(scene, number) {
  const terms = await termsOf(scene, number, LEGS);
  const at = await client.taskAddress(scene.programAddress, terms.shipper.address, terms.idBytes);
  const vault = await client.vaultAddress(scene.programAddress, at);
  const legs = await Promise.all(
    terms.workers.map((_, index) => client.taskLegAddress(scene.programAddress, at, index)),
  );
  const instructions = terms.workers.map((_, index) => `Part ${index} of ${number}`);
  const words = { title: `bench ${number}`, description: 'Four parts.', instructions };
  const { hex: termsHash } = taskTermsHash(words);
  const results = instructions.map((instruction) => `What came of ${instruction}.`);
  const facts = { ...terms, at, vault, legs, termsHash, results };
  return [
    list(scene, facts),
    ...legs.map((_, index) => assign(scene, facts, index)),
    ...legs.map((_, index) => confirm(scene, facts, index)),
    settle(scene, facts),
  ];
}

function list({ programAddress, config }, { shipper, idBytes, deadline, at, vault, termsHash }) {
  const accounts = { funder: shipper, poster: shipper, config, task: at, vault };
  const data = { taskId: idBytes, numLegs: LEGS, maxBudget: BUDGET, deadline: BigInt(deadline) };
  const instruction = client.getListTaskInstruction(
    { ...accounts, ...data, termsHash: hexBytes(termsHash) },
    { programAddress },
  );
  return { payer: shipper, instructions: [instruction] };
}

function legAccounts({ config, coordinator }, { at, legs, workers, reputations }, index) {
  const agent = { agent: workers[index].address, reputation: reputations[index] };
  return { coordinator, config, task: at, taskLeg: legs[index], index, ...agent };
}

function assign(scene, facts, index) {
  const { programAddress, coordinator } = scene;
  const instruction = client.getAssignTaskLegInstruction(legAccounts(scene, facts, index), { programAddress });
  return { payer: coordinator, instructions: [instruction] };
}

function confirm(scene, facts, index) {
  const { programAddress, coordinator } = scene;
  const { vault, results } = facts;
  const hash = hexBytes(resultHash(results[index]).hex);
  const input = { ...legAccounts(scene, facts, index), vault, resultHash: hash };
  return { payer: coordinator, instructions: [client.getConfirmTaskLegInstruction(input, { programAddress })] };
}

function settle({ programAddress, config, coordinator }, { shipper, at, vault, legs }) {
  const legsWithRentPayers = legs.flatMap((leg) => [leg, coordinator.address]);
  const accounts = { signer: coordinator, config, task: at, funder: shipper.address, vault, legsWithRentPayers };
  return { payer: coordinator, instructions: [client.getSettleTaskInstruction(accounts, { programAddress })] };
}
