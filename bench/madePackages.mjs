// The packages of a made ledger: what each does there.
import * as client from '@legwork/program-client';
import { packageTermsHash } from '@legwork/protocol/rules';
import { BUDGET, hexBytes, termsOf } from './madeTerms.mjs';

const LEGS = 2;
const PAYMENT = 1_000_000n;
const TOTAL = PAYMENT * BigInt(LEGS);
const ORIGIN = { lat: 52.5208, lng: 13.3989 };
const DESTINATION = { lat: 52.5031, lng: 13.4694 };
const SIZE = { weightKg: 1, volumeLitres: 1 };
/** The transactions of a package of two legs, to its settlement. */
export async function makePackage(scene, number) {
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
  return [
    list(scene, terms, accounts, termsHash),
    form(scene, terms, accounts),
    ...terms.workers.map((_, index) => confirm(scene, terms, accounts, index)),
    settle(scene, terms, accounts),
  ];
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
