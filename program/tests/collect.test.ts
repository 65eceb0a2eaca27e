import {
  associatedTokenAddress,
  getCollectedEventDecoder,
  getCollectInstruction,
  lockerAddress,
  TOKEN_PROGRAM_ADDRESS,
} from '@legwork/program-client';
import type { Address, KeyPairSigner } from '@solana/kit';
import { describe, expect } from 'vitest';
import { CANNOT_FORGE } from './harness/backend.js';
import { must } from './harness/delivery.js';
import { decoded } from './harness/events.js';
import { keyOf } from './harness/keys.js';
import type { Relay } from './harness/relay.js';
import { test } from './harness/relayTest.js';
import { swapped } from './harness/tamper.js';
import { TokenLedger } from './harness/tokenLedger.js';
import { give, newAsset, tokenAccount, tokensAt } from './harness/tokens.js';

const HELD = 700n;

/** A wallet whose locker holds something. */
async function locked() {
  const { relay, ledger, asset } = await TokenLedger.create();
  const wallet = await keyOf('payee');
  const locker = await lockerAddress(relay.programAddress, wallet.address);
  const from = await give(relay.ledger, locker, asset.mint, HELD);
  const to = await give(relay.ledger, wallet.address, asset.mint);
  return { relay, ledger, asset, wallet, locker, from, to };
}

function collect(
  { programAddress }: Relay,
  accounts: { wallet: Address | KeyPairSigner; locker: Address; from: Address; to: Address },
) {
  return getCollectInstruction({ ...accounts, tokenProgram: TOKEN_PROGRAM_ADDRESS }, { programAddress });
}

describe.skipIf(CANNOT_FORGE)('collect', () => {
  test('[P-8] [P-112] anybody gives a wallet what its locker holds, to its associated account', async () => {
    const { relay, ledger, asset, wallet, ...accounts } = await locked();
    const outcome = await ledger.plain.send(collect(relay, { ...accounts, wallet: wallet.address }));
    const said = { wallet: wallet.address, mint: asset.mint, amount: HELD };
    expect(decoded(getCollectedEventDecoder(), outcome)).toEqual({ discriminator: 30, ...said });
    expect(await tokensAt(ledger, accounts.to)).toBe(HELD);
    expect(await tokensAt(ledger, accounts.from)).toBe(0n);
  });

  test('[P-112] only the wallet itself has it sent elsewhere, also while its associated account is frozen', async () => {
    const { relay, ledger, asset, wallet, ...accounts } = await locked();
    const { mint } = asset;
    await relay.ledger.forge(accounts.to, tokenAccount({ mint, owner: wallet.address, state: 'frozen' }));
    const elsewhere = await give(relay.ledger, (await keyOf('a new wallet')).address, mint);
    const unsigned = collect(relay, { ...accounts, wallet: wallet.address, to: elsewhere });
    expect((await ledger.plain.send(unsigned)).error).toBe('InvalidAccount');
    const toFrozen = collect(relay, { ...accounts, wallet: wallet.address });
    expect((await ledger.plain.send(toFrozen)).error).toBe('PayeeCannotReceive');
    must(await ledger.plain.send(collect(relay, { ...accounts, wallet, to: elsewhere })));
    expect(await tokensAt(ledger, elsewhere)).toBe(HELD);
  });

  test("[P-112] refuses another's locker, an account that is not the locker's, other tokens and nothing", async () => {
    const { relay, ledger, asset, wallet, ...accounts } = await locked();
    const thief = await keyOf('thief');
    const other = await newAsset(relay, 2);
    const ofThief = await give(relay.ledger, thief.address, asset.mint, HELD);
    const mine = collect(relay, { ...accounts, wallet: wallet.address });
    const attempts = [
      [collect(relay, { ...accounts, wallet: thief, to: ofThief }), 'InvalidAccount'],
      [swapped(mine, 1, thief.address), 'InvalidAccount'],
      [swapped(mine, 2, ofThief), 'InvalidAccount'],
      [swapped(mine, 2, relay.config), 'MissingTokenAccount'],
      [swapped(mine, 3, ofThief), 'InvalidAccount'],
      [swapped(mine, 3, await give(relay.ledger, wallet.address, other.mint)), 'InvalidAccount'],
      [swapped(mine, 4, relay.programAddress), 'InvalidAccount'],
    ] as const;
    for (const [attempt, error] of attempts) expect((await ledger.plain.send(attempt)).error).toBe(error);
    must(await ledger.plain.send(mine));
    expect((await ledger.plain.send(mine)).error).toBe('InvalidAmount');
    expect(await tokensAt(ledger, await associatedTokenAddress(wallet.address, asset.mint))).toBe(HELD);
  });
});
