// Worked examples of terms and of the instructions of moves, in the bytes of the ledger; generate.mjs writes them.
import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';
import { createNoopSigner, isOption, isSignerRole, isWritableRole, unwrapOption } from '@solana/kit';
import * as client from '../../program-client/dist/index.js';
import { toLamports } from '../dist/contract/money.js';
import { chosenTerms, packageCarrySec, SOL_ASSET, taskCarrySec } from '../dist/rules/presets.js';
import { INCINERATOR_ADDRESS } from '../dist/rules/stakes.js';

const PLACES = { origin: { lat: 52.521918, lng: 13.413215 }, destination: { lat: 52.501389, lng: 13.283611 } };
const CLAIM_TIMEOUT_SEC = 1800;
const NOBODY = '11111111111111111111111111111111';

/** The key of a name: no one has its secret. */
const keyOf = (name) => base58.encode(createHash('sha256').update(name).digest());
const hexOf = (bytes) => Buffer.from(bytes).toString('hex');

function ledgerTerms({ receiverPubkey, arbiterPubkey, stake, cosignedPickup, ...clocks }) {
  return {
    receiver: receiverPubkey ?? NOBODY,
    arbiter: arbiterPubkey,
    stake,
    carry: clocks.carrySec,
    handoff: clocks.handoffSec,
    review: clocks.reviewSec,
    arbitration: clocks.arbitrationSec,
    flags: cosignedPickup ? 1 : 0,
  };
}

/** The values that carry follows from, by what is listed. */
const CARRY_SEC = {
  package: packageCarrySec(PLACES.origin, PLACES.destination),
  task: taskCarrySec(CLAIM_TIMEOUT_SEC),
};

const TERMS_CASES = [
  { name: 'plain: none', choice: 'plain', budget: 150_000_000 },
  { name: 'standard: a fifth of the budget', choice: 'standard', budget: 150_000_000 },
  { name: 'guarded: two fifths of the budget, a review of three days', choice: 'guarded', budget: 150_000_000 },
  { name: 'the least stake of a small budget', choice: 'standard', budget: 2_000_000 },
  { name: 'an object without a preset starts from standard', choice: { reviewSec: 7200 }, budget: 150_000_003 },
  {
    name: 'every field given',
    choice: {
      preset: 'guarded',
      receiverPubkey: keyOf('receiver'),
      arbiterPubkey: keyOf('another arbiter'),
      stakeSol: 0.05,
      carrySec: 300,
      handoffSec: 2_592_000,
      reviewSec: 65_536,
      arbitrationSec: 1_048_576,
      cosignedPickup: true,
    },
    budget: 9_000_000_000,
  },
  { name: 'a task, standard: a review of an hour', kind: 'task', choice: 'standard', budget: 150_000_000 },
  { name: 'a task, guarded: a review of three hours', kind: 'task', choice: 'guarded', budget: 150_000_000 },
];

export function terms() {
  const arbiterPubkey = keyOf('arbiter');
  const cases = TERMS_CASES.map(({ name, kind = 'package', choice, budget }) => {
    const budgetLamports = toLamports(BigInt(budget));
    const made = chosenTerms(choice, {
      kind,
      carrySec: CARRY_SEC[kind],
      budgetLamports,
      asset: SOL_ASSET,
      arbiterPubkey,
    });
    const bytes = made === null ? [] : client.getTermsEncoder().encode(ledgerTerms(made));
    return {
      name,
      kind,
      choice,
      budgetLamports: budget,
      terms: made && { ...made, stake: String(made.stake), stakeLamports: Number(made.stakeLamports) },
      bytesHex: hexOf(bytes),
    };
  });
  return {
    description:
      'Terms of packages and digital tasks: what a request asks for, the fields that it means, and the 89 bytes of list_package ' +
      'or list_task. A package goes from origin to destination, an agent has claimTimeoutSec for a leg of a task. Integers are ' +
      'little-endian. The first case has no terms and no bytes.',
    ...PLACES,
    claimTimeoutSec: CLAIM_TIMEOUT_SEC,
    arbiterPubkey,
    cases,
  };
}

/** A package of two legs on the ledger, by the names of its accounts. */
async function accountsOf() {
  const programAddress = keyOf('program');
  const shipper = keyOf('shipper');
  const couriers = [keyOf('courier 0'), keyOf('courier 1')];
  const listing = await client.packageAddress(programAddress, shipper, ID);
  const swarm = await client.swarmAddress(programAddress, listing);
  return {
    programAddress,
    shipper,
    couriers,
    receiver: keyOf('receiver'),
    arbiter: keyOf('arbiter'),
    stranger: keyOf('stranger'),
    coordinator: keyOf('coordinator'),
    config: await client.configAddress(programAddress),
    listing,
    vault: await client.vaultAddress(programAddress, listing),
    swarm,
    legs: [await client.legAddress(programAddress, swarm, 0), await client.legAddress(programAddress, swarm, 1)],
    reputations: await Promise.all(couriers.map((courier) => client.reputationAddress(programAddress, courier))),
  };
}

/** A task of the same lister with the same id, whose leg 0 the first courier has. */
async function withTask(its) {
  const listing = await client.taskAddress(its.programAddress, its.shipper, ID);
  const task = {
    listing,
    vault: await client.vaultAddress(its.programAddress, listing),
    leg: await client.taskLegAddress(its.programAddress, listing, 0),
  };
  return { ...its, task };
}

const ID = Uint8Array.from({ length: 16 }, (_, index) => index);
const HASH = Uint8Array.from({ length: 32 }, (_, index) => 255 - index);
/** Of leg 0, and of leg 1, which was given to a second courier. */
const FORMATIONS = [1, 258];
/** Of the task's leg. */
const TASK_FORMATION = 3;

const signer = createNoopSigner;
const into = ({ programAddress }) => ({ programAddress });
const moved = ({ listing, swarm, legs }, index) => ({ listing, swarm, leg: legs[index], formation: FORMATIONS[index] });

function accept(its, { lister, take, counted }) {
  return client.getAcceptInstruction(
    { ...moved(its, 0), courier: signer(its.couriers[0]), lister, take, counted },
    into(its),
  );
}

function vacate(its, index, { by, previousLeg, counted }) {
  const others = { courier: its.couriers[index], vault: its.vault, previousLeg, counted };
  return client.getVacateInstruction({ ...moved(its, index), signer: signer(by), ...others }, into(its));
}

/** Of leg 0, which the receiver disputed. */
function rule(its, percent, { by, fee = its.arbiter, worker = its.couriers[0] }) {
  const others = { worker, other: its.receiver, config: its.config, fee, vault: its.vault };
  return client.getRuleInstruction({ ...moved(its, 0), signer: signer(by), ...others, percent }, into(its));
}

function confirm(its, index, { by, formation = FORMATIONS[index], counted }) {
  const [courier, reputation, nextLeg] = [its.couriers[index], its.reputations[index], its.legs[index + 1]];
  const { listing, ...of } = moved(its, index);
  const others = { package: listing, vault: its.vault, courier, reputation, nextLeg };
  return client.getConfirmLegInstruction({ ...of, ...others, recipient: signer(by), formation, counted }, into(its));
}

function assign({ listing, legs, couriers, reputations, programAddress, ...its }) {
  const leg = {
    leg: legs[1],
    courier: couriers[1],
    reputation: reputations[1],
    index: 1,
    paymentLamports: 40_000_000n,
    countedLater: true,
  };
  const others = { config: its.config, package: listing, swarm: its.swarm, neighbours: [legs[0], programAddress] };
  const coordinator = signer(its.coordinator);
  return client.getAssignLegInstruction({ ...leg, ...others, coordinator }, { programAddress });
}

/** No swarm is given for a task: the program's own address stands for it. */
const movedTask = ({ task: { listing, leg } }) => ({ listing, leg, formation: TASK_FORMATION });

function confirmTask(its, { by }) {
  const { listing: task, vault, leg: taskLeg } = its.task;
  const agent = { agent: its.couriers[0], reputation: its.reputations[0] };
  const confirmed = { config: its.config, task, taskLeg, vault, ...agent, index: 0, resultHash: HASH };
  return client.getConfirmTaskLegInstruction({ signer: signer(by), ...confirmed }, into(its));
}

/** The instruction of each move, by what it does. */
const MOVES = {
  'its courier accepts leg 0': (its) => accept(its, { lister: its.shipper, take: false }),
  'its courier takes leg 0, and the shipper signs the pickup': (its) =>
    accept(its, { lister: signer(its.shipper), take: true, counted: [its.reputations[0]] }),
  'its courier leaves leg 0, which has none before it': (its) => vacate(its, 0, { by: its.couriers[0] }),
  'anyone vacates leg 1, shown with leg 0': (its) =>
    vacate(its, 1, { by: its.stranger, previousLeg: its.legs[0], counted: [its.reputations[1]] }),
  'its courier claims leg 0': (its) =>
    client.getClaimInstruction({ ...moved(its, 0), courier: signer(its.couriers[0]), evidenceHash: HASH }, into(its)),
  'the receiver disputes leg 0': (its) =>
    client.getDisputeInstruction({ ...moved(its, 0), disputer: signer(its.receiver), reasonHash: HASH }, into(its)),
  'the arbiter rules leg 0 to 70 percent': (its) => rule(its, 70, { by: its.arbiter }),
  'anyone ends the dispute of leg 0 after the arbitration': (its) =>
    rule(its, 50, { by: its.stranger, fee: INCINERATOR_ADDRESS }),
  'shipper and courier agree that leg 0 is open again': (its) =>
    rule(its, 0, { by: its.shipper, worker: signer(its.couriers[0]) }),
  'the next courier takes over leg 0: the larger of both numbers': (its) =>
    confirm(its, 0, { by: its.couriers[1], formation: Math.max(...FORMATIONS), counted: [its.reputations[1]] }),
  'anyone confirms leg 0 after the review: its own number': (its) => confirm(its, 0, { by: its.stranger }),
  'the receiver confirms leg 1, the last one': (its) => confirm(its, 1, { by: its.receiver }),
  'the coordinator assigns the vacant leg 1': assign,
  'its agent accepts the leg of the task': (its) =>
    client.getAcceptInstruction(
      { ...movedTask(its), courier: signer(its.couriers[0]), lister: its.shipper, take: false },
      into(its),
    ),
  'anyone vacates the leg of the task': (its) =>
    client.getVacateInstruction(
      { ...movedTask(its), signer: signer(its.stranger), courier: its.couriers[0], vault: its.task.vault },
      into(its),
    ),
  'its agent claims the leg of the task with the hash of its result': (its) =>
    client.getClaimInstruction(
      {
        ...movedTask(its),
        courier: signer(its.couriers[0]),
        evidenceHash: HASH,
        counted: [its.reputations[0]],
      },
      into(its),
    ),
  'the poster disputes the leg of the task': (its) =>
    client.getDisputeInstruction({ ...movedTask(its), disputer: signer(its.shipper), reasonHash: HASH }, into(its)),
  'the receiver confirms the leg of the task, with the hash that is claimed': (its) =>
    confirmTask(its, { by: its.receiver }),
};

/** Bytes as hexadecimal text, amounts as numbers; what is left out as null. */
function plain(value) {
  if (value instanceof Uint8Array) return hexOf(value);
  if (isOption(value)) return unwrapOption(value);
  return typeof value === 'bigint' ? Number(value) : value;
}

function vectorOf(its, [name, build]) {
  const instruction = build(its);
  const decoded = client.decodeRelayInstruction(its.programAddress, instruction);
  const { discriminator, ...values } = decoded.data;
  return {
    name,
    instruction: decoded.name,
    discriminator,
    arguments: Object.fromEntries(Object.entries(values).map(([key, value]) => [key, plain(value)])),
    dataHex: hexOf(instruction.data),
    accounts: instruction.accounts.map(({ address, role }) => ({
      address,
      isSigner: isSignerRole(role),
      isWritable: isWritableRole(role),
    })),
  };
}

export async function moves() {
  const accounts = await withTask(await accountsOf());
  return {
    description:
      'The instruction of every move of a leg with terms: its first byte, its arguments, its accounts in order. Integers are ' +
      'little-endian. The package has two legs, 0 and 1, with the numbers in formations, the task one leg with taskFormation; the id of ' +
      'both is packageIdHex.',
    packageIdHex: hexOf(ID),
    formations: FORMATIONS,
    taskFormation: TASK_FORMATION,
    accounts,
    cases: Object.entries(MOVES).map((move) => vectorOf(accounts, move)),
  };
}
