import {
  decodeRelayInstruction,
  getPackageSize,
  getReputationSize,
  getTaskSize,
  packageAddress,
  taskAddress,
} from '@legwork/program-client';
import { parseSol, uuidToBytes } from '@legwork/protocol/contract';
import { packageTermsHash, taskTermsHash } from '@legwork/protocol/rules';
import { COMPUTE_BUDGET_PROGRAM_ADDRESS } from '@solana-program/compute-budget';
import {
  type Address,
  address,
  decompileTransactionMessage,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type Instruction,
} from '@solana/kit';
import type { PackageDraft, TaskDraft } from './hostileCalls.js';

const hex = (bytes: ArrayLike<number>) => Buffer.from(Uint8Array.from(bytes)).toString('hex');
const rent = (bytes: number) => BigInt(128 + bytes) * 6_960n;
const MOST_PRIORITY_FEE = 1_000_000n;

/**
 * The requests to a wallet to sign, and whether it signed anything else: it reads the bytes by itself, with none of the code that
 * decides in the bridge.
 */
export class AskedOf {
  readonly #own: Address;
  readonly #program: Address;
  readonly #asked = new Set<string>();
  readonly #listings: ((salt: string | undefined) => string)[] = [];
  readonly #salts: () => readonly string[];

  /** @param salts that reached the service so far: each listing is made with one */
  constructor(own: string, programId: string, salts: () => readonly string[]) {
    this.#salts = salts;
    this.#own = address(own);
    this.#program = address(programId);
  }

  package({ maxBudgetSol, deadline, ...draft }: PackageDraft): void {
    const terms = {
      description: draft.description,
      origin: { lat: draft.originLat, lng: draft.originLng },
      destination: { lat: draft.destLat, lng: draft.destLng },
      weightKg: draft.weightKg,
      volumeLitres: draft.volumeLitres,
    };
    const facts = `${parseSol(maxBudgetSol)} ${secondsOf(deadline)}`;
    this.#listing((salt) => `listPackage ${facts} ${packageTermsHash({ ...terms, salt }).hex}`);
  }

  task({ maxBudgetSol, deadline, title, description, legs }: TaskDraft): void {
    const instructions = legs.map(({ instruction }) => instruction);
    const terms = { title, description, instructions };
    const facts = `${parseSol(maxBudgetSol)} ${secondsOf(deadline)}`;
    this.#listing((salt) => `listTask ${facts} ${taskTermsHash({ ...terms, salt }).hex} ${legs.length}`);
  }

  /** @throws RangeError when what is asked has no hash, so that nobody can sign it */
  #listing(of: (salt: string | undefined) => string): void {
    of(undefined);
    this.#listings.push(of);
  }

  leg(account: string): void {
    this.#asked.add(`confirmLeg ${account}`);
  }

  async end({ packageId, taskId }: { readonly packageId?: string; readonly taskId?: string }): Promise<void> {
    if (packageId !== undefined) {
      const account = await packageAddress(this.#program, this.#own, uuidToBytes(packageId));
      for (const name of ['cancelPackage', 'reclaimPackage', 'closePackage']) this.#asked.add(`${name} ${account}`);
    }
    if (taskId !== undefined) {
      const account = await taskAddress(this.#program, this.#own, uuidToBytes(taskId));
      for (const name of ['cancelTask', 'reclaimTask', 'closeTask']) this.#asked.add(`${name} ${account}`);
    }
  }

  /** The most that a signed transaction may take from the wallet, lamports. @throws when it is not what was asked */
  costOf(base64: string): bigint {
    const { messageBytes, signatures } = getTransactionDecoder().decode(getBase64Encoder().encode(base64));
    const signers = Object.keys(signatures);
    if (signers.length !== 1 || signers[0] !== this.#own) throw new Error(`signed together with ${signers.join()}`);
    const { instructions } = decompileTransactionMessage(getCompiledTransactionMessageDecoder().decode(messageBytes));
    const others = instructions.filter(({ programAddress }) => programAddress !== COMPUTE_BUDGET_PROGRAM_ADDRESS);
    const [first, ...extra] = others;
    if (first === undefined || extra.length > 0) throw new Error(`${others.length} instructions`);
    return this.#costOf(first) + 5_000n + priorityFee(instructions);
  }

  #costOf(instruction: Instruction): bigint {
    const decoded = decodeRelayInstruction(this.#program, instruction);
    if (decoded === undefined) throw new Error(`an instruction of ${instruction.programAddress}`);
    const { name, accounts, data } = decoded;
    if (name === 'openReputation') return rent(getReputationSize());
    if (name === 'listPackage') {
      const own = [accounts.shipper.address, accounts.funder.address];
      this.#mustBeAsked(`${name} ${data.maxBudget} ${data.deadline} ${hex(data.termsHash)}`, own);
      return data.maxBudget + rent(0) + rent(getPackageSize());
    }
    if (name === 'listTask') {
      const own = [accounts.poster.address, accounts.funder.address];
      this.#mustBeAsked(`${name} ${data.maxBudget} ${data.deadline} ${hex(data.termsHash)} ${data.numLegs}`, own);
      return data.maxBudget + rent(0) + rent(getTaskSize());
    }
    if (name === 'confirmLeg') this.#mustBeAsked(`${name} ${accounts.leg.address}`, [accounts.recipient.address]);
    else if ('task' in accounts) this.#mustBeAsked(`${name} ${accounts.task.address}`, []);
    else if ('package' in accounts) this.#mustBeAsked(`${name} ${accounts.package.address}`, []);
    else throw new Error(`an ${name}`);
    return 0n;
  }

  #mustBeAsked(what: string, own: readonly string[]): void {
    const isListing = () =>
      [...this.#salts(), undefined].some((salt) => this.#listings.some((of) => of(salt) === what));
    if (!this.#asked.has(what) && !isListing()) throw new Error(`nobody asked for ${what}`);
    if (own.some((one) => one !== this.#own)) throw new Error(`${what} in the name of ${own.join()}`);
  }
}

function priorityFee(instructions: readonly Instruction[]): bigint {
  let [units, price] = [1_400_000n, 0n];
  for (const { programAddress, data = new Uint8Array() } of instructions) {
    if (programAddress !== COMPUTE_BUDGET_PROGRAM_ADDRESS) continue;
    const bytes = Buffer.from(Uint8Array.from(data));
    if (bytes[0] === 2) units = BigInt(bytes.readUInt32LE(1));
    if (bytes[0] === 3) price = bytes.readBigUInt64LE(1);
  }
  const fee = (units * price + 999_999n) / 1_000_000n;
  if (fee > MOST_PRIORITY_FEE) throw new Error(`a priority fee of ${fee} lamports`);
  return fee;
}

const secondsOf = (deadline: string) => Math.floor(Date.parse(deadline) / 1000);
