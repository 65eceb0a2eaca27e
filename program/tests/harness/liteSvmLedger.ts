import { programDataAddress, relayErrorFromCode, UPGRADEABLE_LOADER_ADDRESS } from '@legwork/program-client';
import {
  appendTransactionMessageInstructions,
  assertIsTransactionWithinSizeLimit,
  createTransactionMessage,
  getAddressEncoder,
  lamports,
  pipe,
  setTransactionMessageFeePayerSigner,
  signTransactionMessageWithSigners,
  type Address,
  type Instruction,
  type KeyPairSigner,
} from '@solana/kit';
import { FailedTransactionMetadata, LiteSVM } from 'litesvm';
import { NOW } from './delivery.js';
import { keyOf } from './keys.js';
import type { AccountState, ForgingLedger, Outcome } from './ledger.js';
import { programBytes } from './programFile.js';

const PLENTY = 1_000_000_000_000n;
const RENT_FOR_PROGRAM = 10_000_000_000n;

/** LiteSVM with the built program behind the upgradeable loader, as a cluster has it. */
export class LiteSvmLedger implements ForgingLedger {
  readonly programAddress: Address;
  readonly upgradeAuthority: KeyPairSigner;
  readonly #svm: LiteSVM;
  readonly #feePayer: KeyPairSigner;

  private constructor(svm: LiteSVM, programAddress: Address, upgradeAuthority: KeyPairSigner, feePayer: KeyPairSigner) {
    this.#svm = svm;
    this.programAddress = programAddress;
    this.upgradeAuthority = upgradeAuthority;
    this.#feePayer = feePayer;
  }

  static async create(): Promise<LiteSvmLedger> {
    const [program, upgradeAuthority, feePayer] = await Promise.all(
      ['program', 'upgrade authority', 'fee payer'].map(keyOf),
    );
    if (!program || !upgradeAuthority || !feePayer) throw new Error('three names have three keys');
    const ledger = new LiteSvmLedger(new LiteSVM(), program.address, upgradeAuthority, feePayer);
    await ledger.#deploy(programBytes());
    await ledger.airdrop(feePayer.address, PLENTY);
    await ledger.airdrop(upgradeAuthority.address, PLENTY);
    await ledger.setClock(NOW);
    return ledger;
  }

  async #deploy(code: Uint8Array): Promise<void> {
    const dataAddress = await programDataAddress(this.programAddress);
    const encoder = getAddressEncoder();
    const owner = UPGRADEABLE_LOADER_ADDRESS;
    // Tag 3, slot 0, and the upgrade authority, before the code; then tag 2 and where the code is.
    const header = Uint8Array.of(
      3,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      1,
      ...encoder.encode(this.upgradeAuthority.address),
    );
    const programData = Buffer.concat([header, code]);
    await this.forge(dataAddress, { lamports: RENT_FOR_PROGRAM, owner, data: programData, executable: false });
    const program = Uint8Array.of(2, 0, 0, 0, ...encoder.encode(dataAddress));
    await this.forge(this.programAddress, { lamports: RENT_FOR_PROGRAM, owner, data: program, executable: true });
  }

  async send(...instructions: readonly Instruction[]): Promise<Outcome> {
    return this.sendPaidBy(this.#feePayer, ...instructions);
  }

  async sendPaidBy(payer: KeyPairSigner, ...instructions: readonly Instruction[]): Promise<Outcome> {
    const message = pipe(
      createTransactionMessage({ version: 0 }),
      (empty) => setTransactionMessageFeePayerSigner(payer, empty),
      (paid) => this.#svm.setTransactionMessageLifetimeUsingLatestBlockhash(paid),
      (living) => appendTransactionMessageInstructions(instructions, living),
    );
    const transaction = await signTransactionMessageWithSigners(message);
    // LiteSVM takes transactions that no network would carry.
    assertIsTransactionWithinSizeLimit(transaction);
    const result = this.#svm.sendTransaction(transaction);
    // The next transaction may be the same one again.
    this.#svm.expireBlockhash();
    const failed = result instanceof FailedTransactionMetadata;
    const meta = failed ? result.meta() : result;
    return {
      error: failed ? errorName(result.err()) : undefined,
      logs: meta.logs(),
      units: Number(meta.computeUnitsConsumed()),
      second: this.#svm.getClock().unixTimestamp,
    };
  }

  async account(address: Address): Promise<AccountState | undefined> {
    const account = this.#svm.getAccount(address);
    if (!account.exists || account.lamports === 0n) return undefined;
    const { lamports: balance, programAddress: owner, data, executable } = account;
    return { lamports: balance, owner, data: Uint8Array.from(data), executable };
  }

  async airdrop(address: Address, amount: bigint): Promise<void> {
    const result = this.#svm.airdrop(address, lamports(amount));
    if (result instanceof FailedTransactionMetadata) throw new Error(`The airdrop failed: ${result.toString()}`);
    this.#svm.expireBlockhash();
  }

  async setClock(seconds: bigint): Promise<void> {
    const clock = this.#svm.getClock();
    clock.unixTimestamp = seconds;
    this.#svm.setClock(clock);
  }

  async forge(address: Address, state: AccountState): Promise<void> {
    this.#svm.setAccount({
      address,
      lamports: lamports(state.lamports),
      programAddress: state.owner,
      data: state.data,
      executable: state.executable,
      space: BigInt(state.data.length),
    });
  }
}

function errorName(error: ReturnType<FailedTransactionMetadata['err']>): string {
  if (typeof error === 'number') return `transaction error ${error}`;
  if (!('err' in error)) return error.toString();
  const cause = error.err();
  if (typeof cause === 'number') return `instruction error ${cause}`;
  return 'code' in cause ? (relayErrorFromCode(cause.code)?.name ?? `custom error ${cause.code}`) : cause.toString();
}
