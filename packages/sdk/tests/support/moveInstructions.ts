import {
  getAcceptInstruction,
  getClaimInstruction,
  getConfirmLegInstruction,
  getDisputeInstruction,
  getRuleInstruction,
  getVacateInstruction,
  reputationAddress,
} from '@legwork/program-client';
import type { MoveAction } from '@legwork/protocol/contract';
import { createNoopSigner } from '@solana/kit';
import type { Address, Instruction } from '@solana/kit';
import { createLegworkClient } from '../../src/index.js';
import type { Move, LegworkClient } from '../../src/index.js';
import { startOutsideService } from './outsideService.js';
import { packageJson } from './parcelOnLedger.js';
import type { Parcel, ParcelLedger } from './parcelOnLedger.js';
import { config } from './serviceConfig.js';
import { SOME_ADDRESS } from './transactions.js';

/** The sha256 that claims and disputes name here. */
export const HASH = 'ab'.repeat(32);
const hashBytes = new Uint8Array(32).fill(0xab);

/** The accounts of a leg that the one who moves names. */
export function legOf(parcel: Parcel, index = 0) {
  const leg = parcel.legs[index] ?? SOME_ADDRESS;
  const courier = parcel.couriers[index]?.address ?? SOME_ADDRESS;
  return { courier, accounts: { listing: parcel.listing, swarm: parcel.swarm, leg, formation: 1 } };
}

/** The request for a move, of the first leg unless told. */
export const moveOf = (parcel: Parcel, action: MoveAction, details: Partial<Move> = {}): Move => ({
  legId: parcel.legIds[0] ?? '',
  packageId: parcel.id,
  action,
  ...details,
});

/** The moves of a parcel as somebody who knows the program builds them, and services that answer with anything they are given. */
export class MoveInstructions {
  readonly #ledger: ParcelLedger;

  constructor(ledger: ParcelLedger) {
    this.#ledger = ledger;
  }

  get #to() {
    return { programAddress: this.#ledger.program };
  }

  /** A service that tells of the parcel what is true, but for `changes`, and builds this transaction whatever was asked. */
  async serviceOf(parcel: Parcel, transaction: string, changes: object = {}): Promise<LegworkClient> {
    const { program: programId, ledger } = this.#ledger;
    const built = { legId: parcel.legIds[0], action: 'accept', signers: [SOME_ADDRESS], blockhash: 'x' };
    const service = await startOutsideService(({ path }) => {
      if (path === '/config') return { json: { ...config, programId, rpcUrl: ledger.rpcUrl } };
      if (path.startsWith('/packages/')) return { json: { ...packageJson(parcel), ...changes } };
      return { json: { ...built, lastValidBlockHeight: 1, transaction } };
    });
    return createLegworkClient({ url: service.url });
  }

  accepting(parcel: Parcel, changes: { take?: boolean; index?: number; formation?: number } = {}): Instruction {
    const { take = false, index = 0, ...others } = changes;
    const { courier, accounts } = legOf(parcel, index);
    const lister = take && parcel.cosignedPickup ? createNoopSigner(parcel.shipper.address) : parcel.shipper.address;
    return getAcceptInstruction({ ...accounts, ...others, courier: createNoopSigner(courier), lister, take }, this.#to);
  }

  vacating(parcel: Parcel, index: number): Instruction {
    const { courier, accounts } = legOf(parcel, index);
    const others = { signer: createNoopSigner(courier), courier, vault: parcel.vault };
    const before = index === 0 ? {} : { previousLeg: legOf(parcel, index - 1).accounts.leg };
    return getVacateInstruction({ ...accounts, ...others, ...before }, this.#to);
  }

  claiming(parcel: Parcel): Instruction {
    const { courier, accounts } = legOf(parcel);
    return getClaimInstruction({ ...accounts, courier: createNoopSigner(courier), evidenceHash: hashBytes }, this.#to);
  }

  disputing(parcel: Parcel): Instruction {
    const { accounts } = legOf(parcel);
    const disputer = createNoopSigner(parcel.receiver.address);
    return getDisputeInstruction({ ...accounts, disputer, reasonHash: hashBytes }, this.#to);
  }

  ruling(parcel: Parcel, signer: Address, fee: Address, { percent = 30, agreed = false } = {}): Instruction {
    const { courier, accounts } = legOf(parcel);
    const worker = agreed ? createNoopSigner(courier) : courier;
    const others = { worker, other: parcel.shipper.address, config: this.#ledger.config, fee, vault: parcel.vault };
    return getRuleInstruction({ ...accounts, ...others, signer: createNoopSigner(signer), percent }, this.#to);
  }

  async confirming(
    parcel: Parcel,
    recipient: Address,
    changes: Partial<{ formation: number; courier: Address }> = {},
  ): Promise<Instruction> {
    const { courier, accounts } = legOf(parcel);
    const { listing, swarm, leg } = accounts;
    const reputation = await reputationAddress(this.#ledger.program, courier);
    const others = { package: listing, swarm, leg, vault: parcel.vault, courier, reputation, formation: 1 };
    const next = parcel.legs[1] === undefined ? {} : { nextLeg: parcel.legs[1] };
    const named = { ...others, ...next, ...changes, recipient: createNoopSigner(recipient) };
    return getConfirmLegInstruction(named, this.#to);
  }
}
