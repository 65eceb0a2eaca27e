import {
  assetAddress,
  associatedTokenAddress,
  lockerAddress,
  TOKEN_PROGRAM_ADDRESS,
  type TokenAsset,
} from '@legwork/program-client';
import { type Address, address, getAddressDecoder, type Instruction } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { CANNOT_FORGE } from './harness/backend.js';
import { DEADLINE, must, SOL } from './harness/delivery.js';
import { firstLegs } from './harness/job.js';
import { stagedJob } from './harness/jobStages.js';
import { keyOf } from './harness/keys.js';
import type { AccountState } from './harness/ledger.js';
import type { Relay } from './harness/relay.js';
import { staged } from './harness/stages.js';
import { swapped } from './harness/tamper.js';
import { NOBODY } from './harness/terms.js';
import { TokenLedger } from './harness/tokenLedger.js';
import { give, newAsset, type TokenAccountForm, tokenAccount, tokensAt } from './harness/tokens.js';

const TOKEN_2022 = address('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb');
/** Errors of the token program. */
const [TOO_LITTLE, OWNER_MISMATCH, FROZEN] = ['custom error 1', 'custom error 4', 'custom error 17'];

/** Every instruction that moves tokens, the wallets that it pays in their order, and whether somebody pays in. */
interface Mover {
  readonly prepare: (relay: Relay) => Promise<Instruction>;
  readonly deposits?: true;
  readonly pays?: readonly string[];
}

const LIMIT = 15_000;
const half = SOL / 2n;
const MOVERS: Readonly<Record<string, Mover>> = {
  list_package: { deposits: true, prepare: async (relay) => relay.list(await relay.delivery(1)) },
  list_task: { deposits: true, prepare: async ({ tasks }) => tasks.list(await tasks.job(1)) },
  cancel_package: { pays: ['funder'], prepare: async (relay) => relay.cancel(await relay.listed()) },
  cancel_task: { pays: ['funder'], prepare: async ({ tasks }) => tasks.cancel(await tasks.listed()) },
  confirm_leg: { pays: ['courier 0'], prepare: async (relay) => relay.handoff(await relay.inTransit([half]), 0, 1) },
  confirm_task_leg: { pays: ['courier 0'], prepare: async ({ tasks }) => tasks.result(await tasks.inProgress([0]), 0) },
  settle: { pays: ['funder'], prepare: async (relay) => relay.settle(await relay.carried([half]), 1) },
  // The remainder of a division returns.
  settle_task: { pays: ['funder'], prepare: async ({ tasks }) => tasks.settle(await tasks.worked(3), firstLegs(3)) },
  'reclaim_package with terms': {
    pays: ['courier 0', 'courier 1', 'funder'],
    prepare: async (relay) => relay.moves.reclaim(await staged(relay, 'accepted')),
  },
  'accept, a stake': { deposits: true, prepare: async (relay) => relay.moves.accept(await relay.moves.pending()) },
  'dispute, a stake': { deposits: true, prepare: async (relay) => relay.moves.dispute(await staged(relay, 'claimed')) },
  'vacate, in time': {
    pays: ['courier 0'],
    prepare: async (relay) => relay.moves.vacate(await staged(relay, 'accepted')),
  },
  'rule, the arbiter': {
    pays: ['courier 0', 'shipper', 'arbiter'],
    prepare: async (relay) => {
      await relay.person('arbiter');
      return relay.moves.rule(await staged(relay, 'disputed'), { percent: 33 });
    },
  },
  'confirm_leg with terms': {
    pays: ['courier 0'],
    prepare: async (relay) => relay.moves.handoff(await staged(relay, 'carried')),
  },
  'confirm_task_leg with terms': {
    pays: ['courier 0'],
    prepare: async (relay) => {
      const job = await stagedJob(relay, 'ruled');
      const { resultHash, agent } = await relay.moves.leg(job);
      return relay.tasks.confirm(job, 0, agent, Uint8Array.from(resultHash), await relay.person('stranger'));
    },
  },
};

/** An instruction that would be accepted, where in it the accounts of tokens begin, and what there is to steal. */
class Scene {
  readonly relay: Relay;
  readonly asset: TokenAsset;
  readonly at: number;
  readonly instruction: Instruction;
  readonly #ledger: TokenLedger;

  private constructor(ledger: TokenLedger, relay: Relay, asset: TokenAsset, instruction: Instruction) {
    this.#ledger = ledger;
    this.relay = relay;
    this.asset = asset;
    this.instruction = instruction;
    this.at = (instruction.accounts ?? []).findIndex((account) => account.address === TOKEN_PROGRAM_ADDRESS);
  }

  static async of({ prepare }: Mover): Promise<Scene> {
    const { relay, ledger, asset } = await TokenLedger.create();
    const said = await ledger.said(await prepare(relay));
    const before = said.slice(0, -1);
    if (before.length > 0) must(await ledger.plain.send(...before));
    const instruction = said.at(-1);
    if (!instruction) throw new Error('nothing is said');
    return new Scene(ledger, relay, asset, instruction);
  }

  place(offset: number): Address {
    const account = this.instruction.accounts?.[this.at + offset];
    if (!account) throw new Error(`There is no account ${offset} of tokens`);
    return account.address;
  }

  async wallet(name: string): Promise<Address> {
    return (await keyOf(name)).address;
  }

  /** The outcome of the instruction; nobody's tokens move when it is refused. */
  async outcome(instruction = this.instruction): Promise<string | undefined> {
    const accounts = (instruction.accounts ?? []).map((account) => account.address);
    const amounts = async () => Promise.all(accounts.map((account) => tokensAt(this.#ledger, account)));
    const before = await amounts();
    const { error } = await this.#ledger.plain.send(instruction);
    const after = await amounts();
    const hasMoved = after.some((amount, place) => amount !== before[place]);
    if (error !== undefined && hasMoved) throw new Error('A refusal moved tokens');
    return error;
  }

  async units(): Promise<number> {
    return must(await this.#ledger.plain.send(this.instruction)).units;
  }

  async with(offset: number, account: Address): Promise<string | undefined> {
    return this.outcome(swapped(this.instruction, this.at + offset, account));
  }

  /** The outcome of the instruction while the account is in this state. */
  async while(offset: number, state: AccountState): Promise<string | undefined> {
    const account = this.place(offset);
    const before = await this.#ledger.account(account);
    await this.#ledger.forge(account, state);
    const error = await this.outcome();
    if (before) await this.#ledger.forge(account, before);
    return error;
  }

  async form(offset: number, changes: Partial<TokenAccountForm>): Promise<AccountState> {
    const { data } = await this.relay.state(this.place(offset));
    const amount = await tokensAt(this.#ledger, this.place(offset));
    const owner = getAddressDecoder().decode(data, 32);
    return tokenAccount({ mint: this.asset.mint, owner, amount, ...changes });
  }

  /** A token account of somebody that is not its associated one. */
  async another(owner: Address, changes: Partial<TokenAccountForm> = {}): Promise<Address> {
    const { address: account } = await keyOf(`a token account of ${owner}`);
    await this.#ledger.forge(account, tokenAccount({ mint: this.asset.mint, owner, amount: SOL, ...changes }));
    return account;
  }

  /** The locker's account, of which the issuer may have made anything. */
  async locker(wallet: Address, changes: Partial<TokenAccountForm> = {}): Promise<Address> {
    const owner = await lockerAddress(this.relay.programAddress, wallet);
    const account = await associatedTokenAddress(owner, this.asset.mint);
    await this.#ledger.forge(account, tokenAccount({ mint: this.asset.mint, owner, ...changes }));
    return account;
  }

  async tokens(account: Address): Promise<bigint> {
    return tokensAt(this.#ledger, account);
  }
}

describe.skipIf(CANNOT_FORGE).each(Object.entries(MOVERS))('%s in tokens', (name, mover) => {
  const isListing = name.startsWith('list_');
  const pays = mover.pays ?? [];

  test('[P-109] takes no other token program, asset or account of the vault', async () => {
    const scene = await Scene.of(mover);
    const { relay, asset } = scene;
    const thief = await scene.wallet('thief');
    const other = await newAsset(relay, 2);
    const otherAsset = await assetAddress(relay.programAddress, 2);
    // A listing with another program in that place is in lamports: nothing says that it is not.
    for (const program of isListing ? [] : [TOKEN_2022, relay.programAddress]) {
      expect(await scene.with(0, program)).toBe('InvalidAccount');
    }
    expect(await scene.with(1, otherAsset)).toBe('InvalidAccount');
    expect(await scene.with(1, relay.config)).toBe('InvalidAccountKind');
    expect(await scene.with(1, thief)).toBe('InvalidAccountOwner');
    const stolen = { ...(await relay.state(scene.place(1))), owner: thief };
    expect(await scene.while(1, stolen)).toBe('InvalidAccountOwner');
    const vaults = [
      await give(relay.ledger, thief, asset.mint, SOL),
      await give(relay.ledger, thief, other.mint, SOL),
      // Not the associated one, with a close authority that an attacker kept.
      await scene.another(await vaultOf(scene), { closeAuthority: thief }),
    ];
    for (const account of vaults) expect(await scene.with(2, account)).toBe('InvalidAccount');
    expect(await scene.outcome()).toBeUndefined();
  });

  test('[P-111] waits while the issuer has frozen the vault', async () => {
    const scene = await Scene.of(mover);
    const error = await scene.while(2, await scene.form(2, { state: 'frozen' }));
    expect(error).toBe(mover.deposits ? 'PayeeCannotReceive' : FROZEN);
    expect(await scene.outcome()).toBeUndefined();
  });

  test.runIf(mover.deposits)('[P-110] takes a deposit only from who signs, in this token', async () => {
    const scene = await Scene.of(mover);
    const { relay } = scene;
    const thief = await scene.wallet('thief');
    const other = await newAsset(relay, 2);
    const payer = (scene.instruction.accounts ?? [])[0]?.address ?? NOBODY;
    expect(await scene.with(3, await give(relay.ledger, payer, other.mint, SOL))).toBe('InvalidMint');
    expect(await scene.with(3, payer)).toBe('MissingTokenAccount');
    expect(await scene.with(3, relay.config)).toBe('MissingTokenAccount');
    expect(await scene.with(3, await give(relay.ledger, thief, scene.asset.mint, SOL))).toBe(OWNER_MISMATCH);
    expect(await scene.with(3, scene.place(2))).toBe(isListing ? TOO_LITTLE : OWNER_MISMATCH);
    expect(await scene.while(3, await scene.form(3, { amount: 1n }))).toBe(TOO_LITTLE);
    expect(await scene.while(3, await scene.form(3, { state: 'frozen' }))).toBe(FROZEN);
    expect(await scene.while(3, await scene.form(3, { owner: thief }))).toBe(OWNER_MISMATCH);
    expect(await scene.while(3, { ...(await scene.form(3, {})), owner: TOKEN_2022 })).toBe('MissingTokenAccount');
    expect(await scene.outcome()).toBeUndefined();
  });

  test.runIf(pays.length > 0)('[P-110] pays nobody but the payee, to its associated account', async () => {
    const scene = await Scene.of(mover);
    const { relay } = scene;
    const thief = await scene.wallet('thief');
    const other = await newAsset(relay, 2);
    for (const [index, payee] of pays.entries()) {
      const offset = 3 + 2 * index;
      const wallet = await scene.wallet(payee);
      expect(scene.place(offset)).toBe(await associatedTokenAddress(wallet, scene.asset.mint));
      const wrong = [
        await give(relay.ledger, thief, scene.asset.mint),
        await give(relay.ledger, wallet, other.mint),
        await scene.another(wallet, { closeAuthority: thief, delegate: thief }),
        wallet,
        scene.place(2),
      ];
      for (const account of wrong)
        expect([payee, await scene.with(offset, account)]).toEqual([payee, 'InvalidAccount']);
      const gone = { lamports: 0n, owner: NOBODY, data: new Uint8Array(), executable: false };
      const notOurs = { ...(await scene.form(offset, {})), owner: TOKEN_2022 };
      const short = { ...notOurs, owner: TOKEN_PROGRAM_ADDRESS, data: new Uint8Array(82) };
      for (const state of [gone, notOurs, short]) {
        expect([payee, await scene.while(offset, state)]).toEqual([payee, 'MissingTokenAccount']);
      }
      for (const form of [{ state: 'frozen' }, { owner: thief }, { state: 'uninitialized' }] as const) {
        expect([payee, await scene.while(offset, await scene.form(offset, form))]).toEqual([
          payee,
          'MissingTokenAccount',
        ]);
      }
    }
    // A wallet that can receive has nothing put into its locker, whoever names it.
    const [payee = ''] = pays;
    const locker = await scene.locker(await scene.wallet(payee));
    expect(await scene.with(4, locker)).toBeUndefined();
    expect(await scene.tokens(locker)).toBe(0n);
  });

  test.runIf(pays.length > 0)('[P-111] keeps for a payee what it cannot receive, and the others are paid', async () => {
    for (const [index, payee] of pays.entries()) {
      const scene = await Scene.of(mover);
      const offset = 3 + 2 * index;
      const wallet = await scene.wallet(payee);
      const locker = await scene.locker(wallet);
      const frozen = await scene.form(offset, { state: 'frozen' });
      await scene.relay.ledger.forge(scene.place(offset), frozen);
      const paid = swapped(scene.instruction, scene.at + offset + 1, locker);
      const ofThief = await scene.locker(await scene.wallet('thief'));
      expect(await scene.with(offset + 1, ofThief)).toBe('MissingTokenAccount');
      await scene.locker(wallet, { state: 'frozen' });
      expect(await scene.outcome(paid)).toBe('PayeeCannotReceive');
      await scene.locker(wallet);
      const before = await scene.tokens(scene.place(offset));
      expect(await scene.outcome(paid)).toBeUndefined();
      expect(await scene.tokens(locker)).toBeGreaterThan(0n);
      expect(await scene.tokens(scene.place(offset))).toBe(before);
    }
  });
});

test.skipIf(CANNOT_FORGE)(`[P-110] every instruction takes at most ${LIMIT} compute units in tokens`, async () => {
  const table: Record<string, number> = {};
  for (const [name, mover] of Object.entries(MOVERS)) table[name] = await (await Scene.of(mover)).units();
  const rows = Object.entries(table).map(([name, units]) => `  ${name.padEnd(28)}${String(units).padStart(6)}\n`);
  process.stdout.write(`compute units in tokens\n${rows.join('')}`);
  expect(Object.entries(table).filter(([, units]) => units > LIMIT)).toEqual([]);
});

test.skipIf(CANNOT_FORGE)(
  '[P-110] a reclaim of seven couriers who all wait fits a transaction that its funder pays',
  async () => {
    const { relay, ledger } = await TokenLedger.create();
    const { moves } = relay;
    const payments = Array.from({ length: 7 }, () => SOL / 8n);
    const seven = await relay.forming(payments, 4, await moves.listed(8));
    for (const index of [4, 5, 6]) {
      must(await relay.ledger.send(await relay.assign(seven, index, (await relay.courier(index)).address, SOL / 8n)));
    }
    await moves.accepted([0, 1, 2, 3, 4, 5, 6], seven);
    await relay.ledger.setClock(DEADLINE);
    const said = await ledger.said(await moves.reclaim(seven, seven.funder, 7));
    expect((await ledger.plain.sendPaidBy(seven.funder, ...said)).error).toBeUndefined();
  },
);

/** The owner of the vault's account in the scene. */
async function vaultOf(scene: Scene): Promise<Address> {
  return getAddressDecoder().decode((await scene.relay.state(scene.place(2))).data, 32);
}
