import {
  getAcceptInstruction,
  getClaimInstruction,
  getDisputeInstruction,
  getRuleInstruction,
  getVacateInstruction,
  type RelayInstruction,
  type Terms,
} from '@legwork/program-client';
import { INCINERATOR_ADDRESS } from '@legwork/protocol/rules';
import { type Address, address, createNoopSigner } from '@solana/kit';
import { anyAddress, config, coordinator, decoded, programAddress } from './instructions.js';

/** Odd, so that halves are rounded. */
export const STAKE = 2_000_001n;

const NOBODY = address('11111111111111111111111111111111');
const clocks = { carry: 400, handoff: 300, review: 500, arbitration: 600 };

/** A hash of one byte, 32 times. */
export const hashOf = (byte: number) => new Uint8Array(32).fill(byte);

/** The holder of a leg, and its number. */
export interface Holder {
  index: number;
  courier: Address;
  /** 1: the formation's. */
  number?: number;
}

/** Terms with keys of their own. */
export async function anyTerms(hasReceiver = true): Promise<Terms> {
  const receiver = hasReceiver ? await anyAddress() : NOBODY;
  return { receiver, arbiter: await anyAddress(), stake: STAKE, ...clocks, flags: 0 };
}

/** A package or a digital task with terms. */
interface Place {
  address: Address;
  swarm: Address;
  legs: readonly Address[];
  lister: Address;
  vault: Address;
  terms: Terms;
}

/** The five moves of the legs of one package or digital task. */
export class MovesOnLedger {
  readonly #place: Place;

  constructor(place: Place) {
    this.#place = place;
  }

  #of({ index, number: formation = 1 }: Holder) {
    const { address: listing, swarm, legs } = this.#place;
    const leg = legs[index];
    if (!leg) throw new Error(`there is no leg ${index} of ${legs.length}`);
    return { listing, swarm, leg, formation };
  }

  accept(holder: Holder, take = false): RelayInstruction {
    const courier = createNoopSigner(holder.courier);
    const input = { ...this.#of(holder), courier, lister: this.#place.lister, take };
    return decoded(getAcceptInstruction(input, { programAddress }));
  }

  take(holder: Holder): RelayInstruction {
    return this.accept(holder, true);
  }

  /** @param signer - its courier, unless told */
  vacate(holder: Holder, signer = holder.courier): RelayInstruction {
    const { courier } = holder;
    const input = { ...this.#of(holder), signer: createNoopSigner(signer), courier, vault: this.#place.vault };
    return decoded(getVacateInstruction(input, { programAddress }));
  }

  claim(holder: Holder): RelayInstruction {
    const courier = createNoopSigner(holder.courier);
    const input = { ...this.#of(holder), courier, evidenceHash: hashOf(0xe1) };
    return decoded(getClaimInstruction(input, { programAddress }));
  }

  dispute(holder: Holder, disputer = this.#place.lister): RelayInstruction {
    const input = { ...this.#of(holder), disputer: createNoopSigner(disputer), reasonHash: hashOf(0xd1) };
    return decoded(getDisputeInstruction(input, { programAddress }));
  }

  #rule(
    holder: Holder,
    signer: Address,
    fee: Address,
    { percent, other = this.#place.lister }: Ruling,
  ): RelayInstruction {
    const payees = { worker: holder.courier, other, fee, vault: this.#place.vault };
    const input = { ...this.#of(holder), ...payees, signer: createNoopSigner(signer), config, percent };
    return decoded(getRuleInstruction(input, { programAddress }));
  }

  rule(holder: Holder, ruling: Ruling): RelayInstruction {
    return this.#rule(holder, this.#place.terms.arbiter, this.#place.terms.arbiter, ruling);
  }

  agree(holder: Holder, ruling: Ruling): RelayInstruction {
    return this.#rule(holder, this.#place.lister, this.#place.terms.arbiter, ruling);
  }

  rulingBySilence(holder: Holder, other = this.#place.lister): RelayInstruction {
    return this.#rule(holder, coordinator, address(INCINERATOR_ADDRESS), { percent: 50, other });
  }
}

/** How a leg is ruled, and its other side. */
interface Ruling {
  percent: number;
  other?: Address;
}
