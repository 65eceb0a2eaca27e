import type { Address, Instruction, KeyPairSigner, TransactionSigner } from '@solana/kit';
import type { AccountState, ForgingLedger, Outcome } from './ledger.js';
import { LiteSvmLedger } from './liteSvmLedger.js';
import { Relay } from './relay.js';
import { saidByText } from './texts.js';

/** How an instruction goes to the second ledger. */
type Otherwise = (instruction: Instruction) => Promise<readonly Instruction[]>;

/** The part of an account that must be equal on both ledgers. */
type Shown = (ledger: LiteSvmLedger, address: Address) => Promise<string | undefined>;

/** Two ledgers that get the same transactions, the second one in another form, and must agree to the byte. */
export class TwinLedger implements ForgingLedger {
  readonly programAddress: Address;
  readonly upgradeAuthority: TransactionSigner;
  /** Transactions that the second ledger got in another form, and those of them that both accepted. */
  readonly otherwise = { sent: 0, accepted: 0 };
  readonly #first: LiteSvmLedger;
  /** The one with the other form. */
  readonly second: LiteSvmLedger;
  #inOtherForm: Otherwise = async (instruction) => [instruction];
  #shown: Shown = async (ledger, address) => shownWhole(await ledger.account(address));

  private constructor(first: LiteSvmLedger, second: LiteSvmLedger) {
    this.programAddress = first.programAddress;
    this.upgradeAuthority = first.upgradeAuthority;
    this.#first = first;
    this.second = second;
  }

  static async create(): Promise<TwinLedger> {
    return new TwinLedger(await LiteSvmLedger.create(), await LiteSvmLedger.create());
  }

  send(...instructions: readonly Instruction[]): Promise<Outcome> {
    return this.#both(instructions, (ledger, said) => ledger.send(...said));
  }

  sendPaidBy(payer: KeyPairSigner, ...instructions: readonly Instruction[]): Promise<Outcome> {
    return this.#both(instructions, (ledger, said) => ledger.sendPaidBy(payer, ...said));
  }

  /** From now on the second ledger gets instructions in this form, and accounts of both must look alike. */
  say(otherwise: Otherwise, shown: Shown = this.#shown): void {
    this.#inOtherForm = otherwise;
    this.#shown = shown;
  }

  async #both(
    instructions: readonly Instruction[],
    send: (ledger: LiteSvmLedger, said: readonly Instruction[]) => Promise<Outcome>,
  ): Promise<Outcome> {
    const said: Instruction[] = [];
    for (const instruction of instructions) said.push(...(await this.#inOtherForm(instruction)));
    const [one, other] = [await send(this.#first, instructions), await send(this.second, said)];
    // An instruction with several faults is refused by the first of them, which may be another one.
    if ((one.error === undefined) !== (other.error === undefined)) {
      throw new Error(`${one.error} became ${other.error}: ${other.logs.join('; ')}`);
    }
    if (said.length > instructions.length) this.otherwise.sent += 1;
    if (said.length > instructions.length && one.error === undefined) this.otherwise.accepted += 1;
    const touched = new Set(instructions.flatMap(({ accounts = [] }) => accounts.map(({ address }) => address)));
    for (const address of touched) {
      const states = [await this.#shown(this.#first, address), await this.#shown(this.second, address)];
      if (states[0] !== states[1]) throw new Error(`${address} is ${states.join(', or ')}`);
    }
    return one;
  }

  account(address: Address): Promise<AccountState | undefined> {
    return this.#first.account(address);
  }

  async airdrop(address: Address, lamports: bigint): Promise<void> {
    for (const ledger of [this.#first, this.second]) await ledger.airdrop(address, lamports);
  }

  async setClock(seconds: bigint): Promise<void> {
    for (const ledger of [this.#first, this.second]) await ledger.setClock(seconds);
  }

  async forge(address: Address, state: AccountState): Promise<void> {
    for (const ledger of [this.#first, this.second]) await ledger.forge(address, state);
  }
}

const shownWhole = (state: AccountState | undefined) =>
  state && `${state.lamports} lamports of ${state.owner}: ${Buffer.from(state.data).toString('hex')}`;

/** An initialised program on two ledgers: what is signed on the first one is said by a signed text on the second, where a text can. */
export async function twins(): Promise<{ relay: Relay; ledger: TwinLedger }> {
  const ledger = await TwinLedger.create();
  const relay = await Relay.initialised(ledger);
  ledger.say((instruction) => saidByText(relay, instruction));
  return { relay, ledger };
}
