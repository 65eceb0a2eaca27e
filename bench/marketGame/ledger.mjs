// A ledger with the real program, where games are played once more.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isDeepStrictEqual } from 'node:util';
import * as client from '../../packages/program-client/dist/index.js';

const require = createRequire(new URL('../../packages/ledger/package.json', import.meta.url));
const { FailedTransactionMetadata, LiteSVM } = require('litesvm');
const kit = require('@solana/kit');

const PROGRAM = new URL('../../program/dist/relay.so', import.meta.url);
const BEGIN = 1_800_000_000n;
const RICH = 1_000_000_000_000n;
/** The rest of its funder's rent that a closed listing keeps, so that its id cannot be listed again. */
const MARKER = 890_880n;
/** Where half of a stake burns. */
const INCINERATOR = '1nc1nerator11111111111111111111111111111111';
export const NOBODY = '11111111111111111111111111111111';

/** Plays games on the ledger, one after the other. */
export class GamesOnLedger {
  svm = new LiteSVM();
  #people = new Map();
  now = BEGIN;
  played = 0;

  static async create() {
    const game = new this();
    await game.#deploy();
    return game;
  }

  async #deploy() {
    const [program, authority] = [await this.person('program'), await this.person('authority')];
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
    const coordinator = await this.person('coordinator');
    const roles = { upgradeAuthority: authority, authority: authority.address, coordinator: coordinator.address };
    const accounts = { config: this.config, program: program.address, programData };
    this.setClock(BEGIN);
    await this.send(client.getInitializeInstruction({ ...roles, ...accounts }, this.to));
  }

  #write(address, { owner, data, executable }) {
    const space = BigInt(data.length);
    this.svm.setAccount({ address, lamports: 10n ** 10n, programAddress: owner, data, executable, space });
  }

  /** The key of a name. */
  async person(name) {
    if (name === 'incinerator') return { address: INCINERATOR };
    if (!this.#people.has(name)) {
      const signer = await kit.generateKeyPairSigner();
      this.#people.set(name, signer);
      if (name !== 'program') this.svm.airdrop(signer.address, kit.lamports(RICH));
    }
    return this.#people.get(name);
  }

  setClock(seconds) {
    this.now = seconds;
    const clock = this.svm.getClock();
    clock.unixTimestamp = seconds;
    this.svm.setClock(clock);
  }

  async send(...instructions) {
    const payer = await this.person('payer of fees');
    const message = kit.pipe(
      kit.createTransactionMessage({ version: 0 }),
      (draft) => kit.setTransactionMessageFeePayerSigner(payer, draft),
      (draft) => this.svm.setTransactionMessageLifetimeUsingLatestBlockhash(draft),
      (draft) => kit.appendTransactionMessageInstructions(instructions, draft),
    );
    const result = this.svm.sendTransaction(await kit.signTransactionMessageWithSigners(message));
    this.svm.expireBlockhash();
    if (result instanceof FailedTransactionMetadata)
      throw new Error(`${result.toString()} ${result.meta().logs().join('\n')}`);
  }

  lamports(address) {
    return this.svm.getBalance(address) ?? 0n;
  }

  /**
   * Makes the moves of a game at their times. `begin`, `instructionsOf` and `close` are of what is played.
   *
   * @throws Error when the program refuses one, or somebody has another lamport than the game says
   */
  async play(game) {
    const names = [...game.balances.keys()];
    const held = async () => {
      const people = await Promise.all(names.map((name) => this.person(name)));
      return people.map(({ address }) => this.lamports(address));
    };
    const before = await held();
    this.setClock(this.now + 86_400n);
    this.begun = this.now;
    this.played += 1;
    await this.begin(game);
    for (const move of game.moves) {
      this.setClock(this.begun + BigInt(move.at));
      await this.send(...(await this.instructionsOf(move)));
    }
    await this.send(await this.close());
    const expected = new Map(game.balances).set('funder', game.balances.get('funder') - MARKER);
    const after = await held();
    const gained = new Map(names.map((name, index) => [name, after[index] - before[index]]));
    if (isDeepStrictEqual(gained, expected)) return;
    throw new Error(`The ledger pays ${[...gained].join(' ')}, the game ${[...expected].join(' ')}`);
  }

  /** The 16 bytes that name what is listed for this game. */
  id() {
    const bytes = new Uint8Array(16);
    new DataView(bytes.buffer).setUint32(0, this.played);
    return bytes;
  }
}
