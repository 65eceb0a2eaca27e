// The packages of bench/audit.mjs: what each does on the ledger, and the rows that mirror it.
import * as client from '@legwork/program-client';
import { createUuid } from '@legwork/protocol/contract';
import { packageTermsHash } from '@legwork/protocol/rules';
import { BUDGET, event, hexBytes, listedFacts, now, sharedColumns, termsOf } from './auditTerms.mjs';

const LEGS = 2;
const PAYMENT = 1_000_000n;
const TOTAL = PAYMENT * BigInt(LEGS);
const ORIGIN = { lat: 52.5208, lng: 13.3989 };
const DESTINATION = { lat: 52.5031, lng: 13.4694 };
const SIZE = { weightKg: 1, volumeLitres: 1 };
/** Of each leg, which nothing on the ledger is compared with. */
const ROUTE = {
  pickup_lat: ORIGIN.lat,
  pickup_lng: ORIGIN.lng,
  dropoff_lat: DESTINATION.lat,
  dropoff_lng: DESTINATION.lng,
  distance_km: 5,
  estimated_duration_min: 20,
  cost_lamports: String(PAYMENT),
};

/** A package of two legs, settled unless it is to stay open. `rows` is asked once its transactions have signatures. */
export async function makePackage(scene, number, isOpen) {
  const terms = await termsOf(scene, number, LEGS);
  const at = await client.packageAddress(scene.programAddress, terms.shipper.address, terms.idBytes);
  const swarm = await client.swarmAddress(scene.programAddress, at);
  const accounts = {
    at,
    swarm,
    vault: await client.vaultAddress(scene.programAddress, at),
    legs: await Promise.all(terms.workers.map((_, index) => client.legAddress(scene.programAddress, swarm, index))),
  };
  const description = `bench ${number}`;
  const { hex: termsHash } = packageTermsHash({ description, origin: ORIGIN, destination: DESTINATION, ...SIZE });
  const steps = [
    list(scene, terms, accounts, termsHash),
    form(scene, terms, accounts),
    ...terms.workers.map((_, index) => confirm(scene, terms, accounts, index)),
  ];
  const transactions = isOpen ? steps : [...steps, settle(scene, terms, accounts)];
  const facts = { ...terms, ...accounts, description, termsHash };
  return { transactions, workers: terms.workers, rows: (signatures) => rowsOf(facts, signatures) };
}

function list({ programAddress, config }, { shipper, idBytes, deadline }, { at, vault }, termsHash) {
  const accounts = { funder: shipper, shipper, config, package: at, vault };
  const data = { packageId: idBytes, maxBudget: BUDGET, deadline: BigInt(deadline), termsHash: hexBytes(termsHash) };
  return {
    payer: shipper,
    instructions: [client.getListPackageInstruction({ ...accounts, ...data }, { programAddress })],
  };
}

function form({ programAddress, config, coordinator }, { workers, reputations }, { at, swarm, legs }) {
  const shared = { coordinator, config, package: at, swarm };
  const assignments = workers.map(({ address: courier }, index) =>
    client.getAssignLegInstruction(
      { ...shared, leg: legs[index], courier, reputation: reputations[index], index, paymentLamports: PAYMENT },
      { programAddress },
    ),
  );
  const forming = { ...shared, totalLegs: LEGS, totalLamports: TOTAL };
  return {
    payer: coordinator,
    instructions: [client.getFormSwarmInstruction(forming, { programAddress }), ...assignments],
  };
}

function confirm({ programAddress }, { shipper, workers, reputations }, { at, swarm, vault, legs }, index) {
  const recipient = workers[index + 1] ?? shipper;
  const leg = { leg: legs[index], courier: workers[index].address, reputation: reputations[index] };
  const nextLeg = legs[index + 1];
  const accounts = { recipient, package: at, swarm, vault, ...leg, ...(nextLeg && { nextLeg }) };
  const instruction = client.getConfirmLegInstruction({ ...accounts, formation: 1 }, { programAddress });
  return { payer: recipient, instructions: [instruction] };
}

function settle({ programAddress, config, coordinator }, { shipper }, { at, swarm, vault, legs }) {
  const accounts = { signer: coordinator, config, package: at, vault, swarm, legs };
  const receivers = { funder: shipper.address, rentPayer: coordinator.address };
  const instruction = client.getSettleInstruction({ ...accounts, ...receivers }, { programAddress });
  return { payer: coordinator, instructions: [instruction] };
}

function rowsOf(facts, [listed, formed, ...rest]) {
  const [confirmed, settled] = [rest.slice(0, LEGS), rest[LEGS] ?? null];
  const signed = { listed, formed, confirmed, settled };
  const bids = facts.workers.map(({ address }) => bidRow(facts, address));
  const swarm = swarmRow(facts, signed);
  return {
    packages: [packageRow(facts, signed)],
    bids,
    swarms: [swarm],
    legs: facts.legs.map((_, index) => legRow(facts, confirmed, { swarm, bid: bids[index], index })),
    events: eventsOf(facts, signed),
  };
}

function packageRow(facts, { listed, settled }) {
  return {
    ...sharedColumns(facts, { ...facts, listed, settled, refund: BUDGET - TOTAL }),
    on_chain_package: facts.at,
    status: settled ? 'delivered' : 'in_transit',
    origin_lat: ORIGIN.lat,
    origin_lng: ORIGIN.lng,
    dest_lat: DESTINATION.lat,
    dest_lng: DESTINATION.lng,
    description: facts.description,
    weight_kg: SIZE.weightKg,
    volume_litres: SIZE.volumeLitres,
    formation: 1,
  };
}

function bidRow({ id }, courier) {
  return { id: createUuid(), package_id: id, agent_pubkey: courier, ...ROUTE, expires_at: now() };
}

function swarmRow({ id, swarm }, { formed, settled }) {
  return {
    id: createUuid(),
    package_id: id,
    status: settled ? 'settled' : 'active',
    formation: 1,
    on_chain_swarm: swarm,
    form_signature: formed,
    settle_signature: settled,
    total_legs: LEGS,
    total_lamports: String(TOTAL),
    exact: true,
  };
}

function legRow({ legs, workers }, confirmed, { swarm, bid, index }) {
  return {
    id: createUuid(),
    swarm_id: swarm.id,
    leg_index: index,
    bid_id: bid.id,
    agent_pubkey: workers[index].address,
    ...ROUTE,
    agreed_payment_lamports: String(PAYMENT),
    status: 'completed',
    on_chain_leg: legs[index],
    confirm_signature: confirmed[index],
    completed_at: now(),
  };
}

function eventsOf(facts, { listed, formed, confirmed, settled }) {
  const { id: packageId, at, swarm, legs, workers } = facts;
  const say = (type, payload) => event(`package:${packageId}`, type, { packageId, ...payload });
  const ofLeg = (index) => ({ legIndex: index, agentPubkey: workers[index].address });
  const events = [
    say('PACKAGE_LISTED', { ...listedFacts(facts), onChainPackage: at, listSignature: listed }),
    say('SWARM_FORMED', { onChainSwarm: swarm, formSignature: formed, totalLamports: Number(TOTAL) }),
    ...legs.map((_, index) => say('BID_RECEIVED', { ...ofLeg(index), agreedPaymentLamports: Number(PAYMENT) })),
    ...legs.map((_, index) =>
      say('LEG_CONFIRMED', { ...ofLeg(index), paymentLamports: Number(PAYMENT), signature: confirmed[index] }),
    ),
  ];
  if (settled === null) return events;
  return [...events, say('PACKAGE_DELIVERED', { settleSignature: settled, refundLamports: Number(BUDGET - TOTAL) })];
}
