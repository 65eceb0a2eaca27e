// The relays of the game once more, on a ledger with the real program.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isDeepStrictEqual } from 'node:util';
import * as client from '../../packages/program-client/dist/index.js';
import {
  BUDGET,
  carryMinutes,
  DEADLINE_MINUTES,
  DEFAULTS,
  HANDOFF_MINUTES,
  LEGS,
  PAYMENT,
  REVIEW_MINUTES,
  STAKE,
} from './relay.mjs';

const require = createRequire(new URL('../../packages/ledger/package.json', import.meta.url));
const { FailedTransactionMetadata, LiteSVM } = require('litesvm');
const kit = require('@solana/kit');

const PROGRAM = new URL('../../program/dist/relay.so', import.meta.url);
const BEGIN = 1_800_000_000n;
const RICH = 1_000_000_000_000n;
/** What a closed package leaves of its funder's rent, so that its id cannot be listed again. */
const MARKER = 890_880n;
const NOBODY = '11111111111111111111111111111111';

/** Plays relays on the ledger, one after the other. */
export class RelaysOnLedger {
  #svm = new LiteSVM();
  #people = new Map();
  #now = BEGIN;
  #played = 0;

  static async create() {
    const game = new RelaysOnLedger();
    await game.#deploy();
    return game;
  }

  async #deploy() {
    const [program, authority] = [await this.#person('program'), await this.#person('authority')];
    this.programAddress = program.address;
    const programData = await client.programDataAddress(program.address);
    const owner = client.UPGRADEABLE_LOADER_ADDRESS;
    const encoder = kit.getAddressEncoder();
    // Tag 3, slot 0 and the upgrade authority before the code; tag 2 and where the code is.
    const header = [3, ...Array(11).fill(0), 1, ...encoder.encode(authority.address)];
    const code = Uint8Array.of(...header, ...readFileSync(PROGRAM));
    this.#write(programData, { owner, data: code, executable: false });
    const data = Uint8Array.of(2, 0, 0, 0, ...encoder.encode(programData));
    this.#write(program.address, { owner, data, executable: true });
    this.to = { programAddress: program.address };
    this.config = await client.configAddress(program.address);
    const coordinator = await this.#person('coordinator');
    const roles = { upgradeAuthority: authority, authority: authority.address, coordinator: coordinator.address };
    const accounts = { config: this.config, program: program.address, programData };
    this.#setClock(BEGIN);
    await this.#send(client.getInitializeInstruction({ ...roles, ...accounts }, this.to));
  }

  #write(address, { owner, data, executable }) {
    const space = BigInt(data.length);
    this.#svm.setAccount({ address, lamports: 10n ** 10n, programAddress: owner, data, executable, space });
  }

  async #person(name) {
    if (!this.#people.has(name)) {
      const signer = await kit.generateKeyPairSigner();
      this.#people.set(name, signer);
      if (name !== 'program') this.#svm.airdrop(signer.address, kit.lamports(RICH));
    }
    return this.#people.get(name);
  }

  #setClock(seconds) {
    this.#now = seconds;
    const clock = this.#svm.getClock();
    clock.unixTimestamp = seconds;
    this.#svm.setClock(clock);
  }

  async #send(...instructions) {
    const payer = await this.#person('payer of fees');
    const message = kit.pipe(
      kit.createTransactionMessage({ version: 0 }),
      (draft) => kit.setTransactionMessageFeePayerSigner(payer, draft),
      (draft) => this.#svm.setTransactionMessageLifetimeUsingLatestBlockhash(draft),
      (draft) => kit.appendTransactionMessageInstructions(instructions, draft),
    );
    const result = this.#svm.sendTransaction(await kit.signTransactionMessageWithSigners(message));
    this.#svm.expireBlockhash();
    if (result instanceof FailedTransactionMetadata)
      throw new Error(`${result.toString()} ${result.meta().logs().join('\n')}`);
  }

  #lamports(address) {
    return this.#svm.getBalance(address) ?? 0n;
  }

  /**
   * Makes the moves of a relay at their times.
   *
   * @throws Error when the program refuses one, or somebody has another lamport than the game says
   */
  async play(relay) {
    const names = [...relay.balances.keys()];
    for (const name of names) await this.#person(name);
    const before = new Map(names.map((name) => [name, this.#lamports(this.#people.get(name).address)]));
    await this.#begin(relay);
    for (const move of relay.moves) {
      this.#setClock(this.begin + BigInt(move.at));
      await this.#send(await this.#instruction(move));
    }
    await this.#send(client.getClosePackageInstruction(await this.#exit('close'), this.to));
    const expected = new Map(relay.balances).set('funder', relay.balances.get('funder') - MARKER);
    const gained = new Map(
      names.map((name) => [name, this.#lamports(this.#people.get(name).address) - before.get(name)]),
    );
    if (isDeepStrictEqual(gained, expected)) return;
    throw new Error(`The ledger pays ${[...gained].join(' ')}, the game ${[...expected].join(' ')}`);
  }

  async #begin({ setting }) {
    this.#setClock(this.#now + 86_400n);
    this.begin = this.#now;
    this.#played += 1;
    const [coordinator, funder, arbiter] = [
      await this.#person('coordinator'),
      await this.#person('funder'),
      await this.#person('arbiter'),
    ];
    const packageId = new Uint8Array(16);
    new DataView(packageId.buffer).setUint32(0, this.#played);
    const { programAddress } = this;
    this.package = await client.packageAddress(programAddress, funder.address, packageId);
    this.vault = await client.vaultAddress(programAddress, this.package);
    this.swarm = await client.swarmAddress(programAddress, this.package);
    this.legs = await Promise.all(
      Array.from({ length: LEGS }, (_, leg) => client.legAddress(programAddress, this.swarm, leg)),
    );
    this.formations = Array(LEGS).fill(1);
    this.formation = 1;
    const terms = {
      receiver: NOBODY,
      arbiter: arbiter.address,
      stake: STAKE,
      carry: carryMinutes(setting.legMinutes ?? DEFAULTS.legMinutes) * 60,
      handoff: HANDOFF_MINUTES * 60,
      review: REVIEW_MINUTES * 60,
      arbitration: 72 * 3_600,
      flags: 0,
    };
    const { package: address, vault, swarm, config } = this;
    const offer = {
      packageId,
      maxBudget: BUDGET,
      deadline: this.begin + BigInt(DEADLINE_MINUTES * 60),
      termsHash: new Uint8Array(32),
      terms,
    };
    await this.#send(
      client.getListPackageInstruction({ funder, shipper: funder, config, package: address, vault, ...offer }, this.to),
    );
    const total = { totalLegs: LEGS, totalLamports: PAYMENT * BigInt(LEGS) };
    await this.#send(
      client.getFormSwarmInstruction({ coordinator, config, package: address, swarm, ...total }, this.to),
    );
    for (let leg = 0; leg < LEGS; leg += 1) await this.#send(await this.#assign(leg, `courier ${leg}`, PAYMENT));
  }

  async #assign(index, name, paymentLamports, neighbours) {
    const courier = (await this.#person(name)).address;
    const { config, package: address, swarm, programAddress } = this;
    const reputation = await client.reputationAddress(programAddress, courier);
    const accounts = {
      coordinator: await this.#person('coordinator'),
      config,
      package: address,
      swarm,
      leg: this.legs[index],
      courier,
      reputation,
    };
    return client.getAssignLegInstruction(
      { ...accounts, index, paymentLamports, ...(neighbours && { neighbours }) },
      this.to,
    );
  }

  async #exit(name, couriers = []) {
    const { config, package: address, vault, swarm, legs } = this;
    const [funder, coordinator] = [await this.#person('funder'), await this.#person('coordinator')];
    const common = { signer: funder, config, package: address, funder: funder.address };
    if (name === 'close') return common;
    return { ...common, vault, swarm, rentPayer: coordinator.address, legs, ...(name === 'reclaim' && { couriers }) };
  }

  async #instruction(move) {
    const { name, leg: index, courier: courierName, next } = move;
    const { package: listing, swarm, vault } = this;
    if (name === 'settle') return client.getSettleInstruction(await this.#exit(name), this.to);
    if (name === 'reclaim')
      return client.getReclaimPackageInstruction(await this.#exit(name, await this.#accepted()), this.to);
    if (name === 'assign') {
      this.formation += 1;
      this.formations[index] = this.formation;
      const beside = [this.legs[index - 1] ?? this.programAddress, this.legs[index + 1] ?? this.programAddress];
      return this.#assign(index, courierName, move.price, beside);
    }
    const [courier, funder, stranger] = [
      await this.#person(courierName),
      await this.#person('funder'),
      await this.#person('stranger'),
    ];
    const leg = this.legs[index];
    const formation = this.formations[index];
    const own = { courier, listing, swarm, leg, formation };
    if (name === 'accept' || name === 'take') {
      return client.getAcceptInstruction({ ...own, lister: funder.address, take: name === 'take' }, this.to);
    }
    if (name === 'claim') return client.getClaimInstruction({ ...own, evidenceHash: new Uint8Array(32) }, this.to);
    if (name === 'vacate' || name === 'vacate overdue') {
      const before = index > 0 ? { previousLeg: this.legs[index - 1] } : {};
      const signer = move.by === 'lister' ? funder : stranger;
      return client.getVacateInstruction({ ...own, courier: courier.address, signer, vault, ...before }, this.to);
    }
    const recipients = {
      'hand off': async () => this.#person(next),
      confirm: async () => funder,
      crank: async () => stranger,
    };
    const names = name === 'hand off' ? Math.max(formation, this.formations[index + 1]) : formation;
    const confirmation = {
      recipient: await recipients[name](),
      package: listing,
      swarm,
      leg,
      vault,
      courier: courier.address,
      reputation: await client.reputationAddress(this.programAddress, courier.address),
      ...(index + 1 < LEGS && { nextLeg: this.legs[index + 1] }),
    };
    return client.getConfirmLegInstruction({ ...confirmation, formation: names }, this.to);
  }

  /** Couriers of accepted legs, whose stakes return. */
  async #accepted() {
    const legs = this.legs.map((address) => client.getLegDecoder().decode(this.#svm.getAccount(address).data));
    return legs.filter(({ status }) => status === client.LegStatus.Accepted).map(({ courier }) => courier);
  }
}
