import { decodeRelayInstruction } from '@legwork/program-client';
import { AccountRole, type AccountMeta, type Address, type Instruction } from '@solana/kit';
import type { Town } from './town.js';

interface Career {
  readonly accepted: bigint;
  readonly completed: bigint;
}

const NONE: Career = { accepted: 0n, completed: 0n };
const ACCEPTED: Career = { accepted: 1n, completed: 0n };
const COMPLETED: Career = { accepted: 0n, completed: 1n };

/** What everybody accepted and completed, of packages and of tasks, counted from the transactions that succeeded. */
export class Careers {
  readonly #town: Town;
  readonly #careers = new Map<Address, Career>();

  private constructor(town: Town) {
    this.#town = town;
  }

  /** As the ledger has them before the first transaction. */
  static async of(town: Town): Promise<Careers> {
    const careers = new Careers(town);
    for (const { address } of town.people) careers.#careers.set(address, await careers.#recorded(address));
    return careers;
  }

  /** @throws Error when the reputation of whoever this successful instruction is about is another than what was counted */
  async require(instruction: Instruction): Promise<void> {
    const gained = gain(this.#town.relay.programAddress, instruction);
    if (!gained) return;
    const { agent, accepted, completed } = gained;
    const before = this.#careers.get(agent) ?? NONE;
    const expected = { accepted: before.accepted + accepted, completed: before.completed + completed };
    this.#careers.set(agent, expected);
    const recorded = await this.#recorded(agent);
    if (recorded.accepted !== expected.accepted || recorded.completed !== expected.completed) {
      const [has, counted] = [recorded, expected].map((career) => `${career.completed} of ${career.accepted} legs`);
      throw new Error(`${agent} has completed ${has}, ${counted} were counted`);
    }
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

function gain(programAddress: Address, instruction: Instruction): (Career & { readonly agent: Address }) | undefined {
  const accounts = (instruction.accounts ?? []).map(
    (meta): AccountMeta => ({ address: meta.address, role: meta.role ?? AccountRole.READONLY }),
  );
  const data = instruction.data ?? new Uint8Array();
  const decoded = decodeRelayInstruction(programAddress, {
    programAddress: instruction.programAddress,
    accounts,
    data,
  });
  if (decoded?.name === 'openReputation') return { agent: decoded.accounts.agent.address, ...NONE };
  if (decoded?.name === 'assignLeg') return { agent: decoded.accounts.courier.address, ...ACCEPTED };
  if (decoded?.name === 'assignTaskLeg') return { agent: decoded.accounts.agent.address, ...ACCEPTED };
  if (decoded?.name === 'confirmLeg') return { agent: decoded.accounts.courier.address, ...COMPLETED };
  if (decoded?.name === 'confirmTaskLeg') return { agent: decoded.accounts.agent.address, ...COMPLETED };
  return undefined;
}
