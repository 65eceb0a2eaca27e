// The digital tasks of bench/audit.mjs: what each does on the ledger, and the rows that mirror it.
import * as client from '@legwork/program-client';
import { createUuid } from '@legwork/protocol/contract';
import { resultHash, taskTermsHash } from '@legwork/protocol/rules';
import { BUDGET, event, hexBytes, listedFacts, now, sharedColumns, termsOf } from './auditTerms.mjs';

const LEGS = 4;
const PAYMENT = BUDGET / BigInt(LEGS);
const REFUND = BUDGET - PAYMENT * BigInt(LEGS);

/** A digital task of four legs, settled unless it is to stay open. `rows` is asked once its transactions have signatures. */
export async function makeTask(scene, number, isOpen) {
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
  const facts = { ...terms, at, vault, legs, words, termsHash, results };
  const steps = [
    list(scene, facts),
    ...legs.map((_, index) => assign(scene, facts, index)),
    ...legs.map((_, index) => confirm(scene, facts, index)),
  ];
  const transactions = isOpen ? steps : [...steps, settle(scene, facts)];
  return { transactions, workers: terms.workers, rows: (signatures) => rowsOf(facts, signatures) };
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

function rowsOf(facts, [listed, ...rest]) {
  const [assigned, confirmed] = [rest.slice(0, LEGS), rest.slice(LEGS, 2 * LEGS)];
  const signed = { listed, assigned, confirmed, settled: rest[2 * LEGS] ?? null };
  return {
    digital_tasks: [taskRow(facts, signed)],
    digital_legs: facts.legs.map((_, index) => legRow(facts, signed, index)),
    events: eventsOf(facts, signed),
  };
}

function taskRow(facts, { listed, settled }) {
  return {
    ...sharedColumns(facts, { ...facts, listed, settled, refund: REFUND }),
    on_chain_task: facts.at,
    status: settled ? 'completed' : 'in_progress',
    title: facts.words.title,
    description: facts.words.description,
    is_planned: false,
    num_legs: LEGS,
    claim_timeout_sec: 1800,
  };
}

function legRow({ id, legs, workers, words, results }, { assigned, confirmed }, index) {
  return {
    id: createUuid(),
    task_id: id,
    leg_index: index,
    instruction: words.instructions[index],
    status: 'completed',
    on_chain_leg: legs[index],
    claim: 1,
    agent_pubkey: workers[index].address,
    bid_lamports: '1',
    signed: true,
    claimed_at: now(),
    assign_signature: assigned[index],
    due_at: now(),
    result: results[index],
    result_hash: resultHash(results[index]).hex,
    confirm_signature: confirmed[index],
    payment_lamports: String(PAYMENT),
    completed_at: now(),
  };
}

function eventsOf(facts, { listed, assigned, confirmed, settled }) {
  const { id: taskId, at, legs, workers, results } = facts;
  const say = (type, payload) => event(`task:${taskId}`, type, { taskId, ...payload });
  const ofLeg = (index) => ({ legIndex: index, agentPubkey: workers[index].address });
  const paid = (index) => ({ paymentLamports: Number(PAYMENT), resultHash: resultHash(results[index]).hex });
  const events = [
    say('TASK_LISTED', { ...listedFacts(facts), numLegs: LEGS, onChainTask: at, listSignature: listed }),
    ...legs.map((_, index) => say('TASK_LEG_ASSIGNED', { ...ofLeg(index), signature: assigned[index] })),
    ...legs.map((_, index) =>
      say('TASK_LEG_COMPLETED', { ...ofLeg(index), ...paid(index), signature: confirmed[index] }),
    ),
  ];
  if (settled === null) return events;
  return [...events, say('TASK_COMPLETED', { settleSignature: settled, refundLamports: Number(REFUND) })];
}
