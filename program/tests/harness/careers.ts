import { decodeLeg, decodeRelayInstruction, decodeTaskLeg, type RelayInstruction } from '@legwork/program-client';
import { AccountRole, isNone, isSome, type AccountMeta, type Address, type Instruction } from '@solana/kit';
import type { Town } from './town.js';

interface Career {
  readonly accepted: bigint;
  readonly completed: bigint;
}

type Gain = Career & { readonly agent: Address };

/** The first byte of the account of a task's leg, and what a leg notes that is not counted yet. */
const [TASK_LEG, NOT_COUNTED] = [7, 3];
const NONE: Career = { accepted: 0n, completed: 0n };
const ACCEPTED: Career = { accepted: 1n, completed: 0n };
const COMPLETED: Career = { accepted: 0n, completed: 1n };

/** The legs that everybody accepted and completed, of packages and of tasks, counted from the transactions that succeeded. */
export class Careers {
  readonly #town: Town;
  readonly #careers = new Map<Address, Career>();
  /** The agents by their reputations' accounts. */
  readonly #owners = new Map<Address, Address>();
  /** Legs that no reputation counts yet, with their workers. */
  readonly #uncounted = new Map<Address, Address>();

  private constructor(town: Town) {
    this.#town = town;
  }

  /** As the ledger has them before the first transaction. */
  static async of(town: Town): Promise<Careers> {
    const careers = new Careers(town);
    for (const { address } of town.people) {
      careers.#careers.set(address, await careers.#recorded(address));
      careers.#owners.set(await town.relay.reputationOf(address), address);
    }
    return careers;
  }

  /** @throws Error when the reputation of whoever this successful instruction is about is another than what was counted */
  async require(instruction: Instruction): Promise<void> {
    const decoded = decodedFor(this.#town.relay.programAddress, instruction);
    if (!decoded) return;
    for (const gained of [...this.#given(decoded), ...(await this.#begun(decoded))]) this.#add(gained);
    // No instruction changes the reputation of somebody else than it should.
    for (const { address } of instruction.accounts ?? []) {
      const agent = this.#owners.get(address);
      if (agent !== undefined) await this.#compare(agent);
    }
  }

  async #compare(agent: Address): Promise<void> {
    const [recorded, expected] = [await this.#recorded(agent), this.#careers.get(agent) ?? NONE];
    if (recorded.accepted === expected.accepted && recorded.completed === expected.completed) return;
    const [has, counted] = [recorded, expected].map((career) => `${career.completed} of ${career.accepted} legs`);
    throw new Error(`${agent} has completed ${has}, ${counted} were counted`);
  }

  /** The gains that count at once. With terms an assignment does not, if it says so. */
  #given({ name, accounts, data }: RelayInstruction): Gain[] {
    if (name === 'openReputation') return [{ agent: accounts.agent.address, ...NONE }];
    if (name === 'assignLeg' || name === 'assignTaskLeg') {
      const agent = 'courier' in accounts ? accounts.courier.address : accounts.agent.address;
      const leg = 'leg' in accounts ? accounts.leg.address : accounts.taskLeg.address;
      this.#uncounted.delete(leg);
      if (isNone(data.countedLater)) return [{ agent, ...ACCEPTED }];
      this.#uncounted.set(leg, agent);
      return [{ agent, ...NONE }];
    }
    if (name === 'confirmLeg') return [{ agent: accounts.courier.address, ...COMPLETED }];
    return name === 'confirmTaskLeg' ? [{ agent: accounts.agent.address, ...COMPLETED }] : [];
  }

  /** Legs that are counted from now on, as their own accounts note. */
  async #begun({ name, accounts }: RelayInstruction): Promise<Gain[]> {
    if (name === 'assignLeg' || name === 'assignTaskLeg') return [];
    const legs = Object.values(accounts).flatMap((meta) => meta?.address ?? []);
    const gains: Gain[] = [];
    for (const leg of legs) {
      const agent = this.#uncounted.get(leg);
      if (agent === undefined || (await this.#isUncounted(leg))) continue;
      this.#uncounted.delete(leg);
      // A leg that ends with its listing before anybody began is counted by nobody.
      if ((await this.#town.relay.ledger.account(leg)) !== undefined) gains.push({ agent, ...ACCEPTED });
    }
    return gains;
  }

  async #isUncounted(leg: Address): Promise<boolean> {
    if ((await this.#town.relay.ledger.account(leg)) === undefined) return false;
    const encoded = await this.#town.relay.encoded(leg);
    const { turn } = encoded.data[0] === TASK_LEG ? decodeTaskLeg(encoded).data : decodeLeg(encoded).data;
    return isSome(turn) && turn.value.note === NOT_COUNTED;
  }

  #add({ agent, accepted, completed }: Gain): void {
    const before = this.#careers.get(agent) ?? NONE;
    const expected = { accepted: before.accepted + accepted, completed: before.completed + completed };
    this.#careers.set(agent, expected);
  }

  async #recorded(agent: Address): Promise<Career> {
    const reputation = await this.#town.reputation(agent);
    if (!reputation) return NONE;
    const { legsAccepted: accepted, legsCompleted: completed, reliabilityScore } = reputation;
    const score = accepted === 0n ? 0 : Number((completed * 100n) / accepted);
    if (reliabilityScore !== score) throw new Error(`${agent} has the score ${reliabilityScore}, not ${score}`);
    return { accepted, completed };
  }
}

function decodedFor(programAddress: Address, instruction: Instruction): RelayInstruction | undefined {
  const accounts = (instruction.accounts ?? []).map(
    (meta): AccountMeta => ({ address: meta.address, role: meta.role ?? AccountRole.READONLY }),
  );
  const data = instruction.data ?? new Uint8Array();
  return decodeRelayInstruction(programAddress, { programAddress: instruction.programAddress, accounts, data });
}
