import { AccountRole, isSignerRole, isWritableRole, type AccountMeta, type Instruction } from '@solana/kit';
import { expect, test } from 'vitest';
import { CANNOT_FORGE } from './backend.js';
import { keyOf } from './keys.js';
import { must } from './delivery.js';
import { Relay } from './relay.js';
import { readOnly, signedBy, swappedFor, truncated, unsigned, withData } from './tamper.js';

type PlacesByError = Readonly<Record<string, readonly number[]>>;

/** A valid instruction, and what an attacker may try to put in its places. */
export interface Guarded {
  readonly instruction: Instruction;
  /** Places of the program's own accounts, by the error when something else owns the account there. */
  readonly owned: PlacesByError;
  /** Places by the error when a stranger's address stands there. */
  readonly strangers: PlacesByError;
  /** Accounts before the ones whose number varies. */
  readonly fixedAccounts: number;
  /** Bytes of arguments that may be left out. */
  readonly tailBytes?: number;
  /** Places that are writable in the client, though the program demands it only of what has terms. */
  readonly writableWithTerms?: readonly number[];
}

function places(instruction: Instruction, role: (role: AccountRole) => boolean): number[] {
  const metas = (instruction.accounts ?? []) as readonly AccountMeta[];
  return [...metas.keys()].filter((index) => role(metas[index]?.role ?? AccountRole.READONLY));
}

/** One of several places of an account is enough for a transaction to let it be written. */
function readOnlyEverywhere(instruction: Instruction, index: number): Instruction {
  const metas = instruction.accounts ?? [];
  const same = (place: number) => metas[place]?.address === metas[index]?.address;
  return places(instruction, isWritableRole).filter(same).reduce(readOnly, instruction);
}

const errorsByPlace = (errors: PlacesByError) =>
  Object.entries(errors).flatMap(([error, places]) => places.map((place) => [place, error] as const));

async function refusals(relay: Relay, tampered: readonly Instruction[]): Promise<(string | undefined)[]> {
  const errors = [];
  for (const instruction of tampered) errors.push((await relay.ledger.send(instruction)).error);
  return errors;
}

/** The guards that every instruction has; each test ends by showing that the instruction itself is accepted. */
export function testGuards(prepare: (relay: Relay) => Promise<Guarded>, begin = () => Relay.initialised()): void {
  const prepared = async () => {
    const relay = await begin();
    return { relay, ...(await prepare(relay)) };
  };

  test('[P-1] refuses data of another length', async () => {
    const { instruction, relay, tailBytes = 0 } = await prepared();
    const data = Uint8Array.from(instruction.data ?? []);
    const short = [data.slice(0, -1 - tailBytes), data.slice(0, 1)];
    const lengths = [Uint8Array.of(...data, 0), ...(data.length > 1 ? short : [])];
    const errors = await refusals(
      relay,
      lengths.map((other) => withData(instruction, other)),
    );
    expect(new Set(errors)).toEqual(new Set(['InvalidInstruction']));
    must(await relay.ledger.send(instruction));
  });

  test('[P-2] refuses a missing signature in every place that needs one', async () => {
    const { instruction, relay } = await prepared();
    const signers = places(instruction, isSignerRole);
    expect(signers.length).toBeGreaterThan(0);
    const errors = await refusals(
      relay,
      signers.map((index) => unsigned(instruction, index)),
    );
    expect(errors).toEqual(signers.map(() => 'MissingSignature'));
    must(await relay.ledger.send(instruction));
  });

  test('[P-2] refuses a read-only account in every place that is written', async () => {
    const { instruction, relay, writableWithTerms = [] } = await prepared();
    const writable = places(instruction, isWritableRole).filter((index) => !writableWithTerms.includes(index));
    expect(writable.length).toBeGreaterThan(0);
    const errors = await refusals(
      relay,
      writable.map((index) => readOnlyEverywhere(instruction, index)),
    );
    expect(errors).toEqual(writable.map(() => 'AccountNotWritable'));
    must(await relay.ledger.send(instruction));
  });

  test('[P-2] refuses too few accounts', async () => {
    const { instruction, relay, fixedAccounts } = await prepared();
    const counts = Array.from({ length: fixedAccounts }, (_, count) => count);
    const errors = await refusals(
      relay,
      counts.map((count) => truncated(instruction, count)),
    );
    expect(errors).toEqual(counts.map(() => 'NotEnoughAccounts'));
    must(await relay.ledger.send(instruction));
  });

  test.skipIf(CANNOT_FORGE)('[P-3] refuses accounts of another owner, kind, version or length', async () => {
    const { instruction, relay, owned } = await prepared();
    const stranger = await keyOf('another program');
    for (const [place, ownerError] of errorsByPlace(owned)) {
      const address = (instruction.accounts ?? [])[place]?.address;
      const state = address && (await relay.ledger.account(address));
      if (!state) throw new Error(`There is no account in place ${place}`);
      const { data } = state;
      const forgeries = [
        [{ ...state, owner: stranger.address }, ownerError],
        [{ ...state, data: data.with(0, 0) }, 'InvalidAccountKind'],
        [{ ...state, data: data.with(0, ((data[0] ?? 0) % 7) + 1) }, 'InvalidAccountKind'],
        [{ ...state, data: data.with(1, data[1] === 1 ? 2 : 1) }, 'InvalidAccountKind'],
        [{ ...state, data: Uint8Array.of(...data, 0) }, 'InvalidAccountKind'],
      ] as const;
      for (const [forgery, error] of forgeries) {
        await relay.ledger.forge(address, forgery);
        expect([place, (await relay.ledger.send(instruction)).error]).toEqual([place, error]);
      }
      await relay.ledger.forge(address, state);
    }
    must(await relay.ledger.send(instruction));
  });

  test("[P-4] [P-7] refuses a stranger's account in any place", async () => {
    const { instruction, relay, strangers } = await prepared();
    const stranger = await relay.person('stranger');
    const signers = places(instruction, isSignerRole);
    for (const [place, error] of errorsByPlace(strangers)) {
      const replace = signers.includes(place) ? signedBy : swappedFor;
      const outcome = await relay.ledger.send(replace(instruction, place, stranger));
      expect([place, outcome.error]).toEqual([place, error]);
    }
    must(await relay.ledger.send(instruction));
  });
}
