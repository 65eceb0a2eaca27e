import {
  bySignedText,
  createAssociatedToken,
  getAcceptInstruction,
  getCancelPackageInstruction,
  getOpenReputationInstruction,
  getSetPausedInstruction,
  reputationAddress,
} from '@legwork/program-client';
import { getSetComputeUnitLimitInstruction, getSetComputeUnitPriceInstruction } from '@solana-program/compute-budget';
import { getAdvanceNonceAccountInstruction, getTransferSolInstruction } from '@solana-program/system';
import {
  AccountRole,
  type AccountMeta,
  address,
  type Address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  createNoopSigner,
  createTransactionMessage,
  getBase64Decoder,
  getBase64Encoder,
  type Instruction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  type Transaction,
} from '@solana/kit';
import { ERROR_CODES } from '@legwork/protocol/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { at, type Cast, newKey } from '../operations/turns/scene.js';
import { attempt, post, refusedWith } from '../support/refusal.js';
import { type Party, withService } from '../support/service.js';
import { untilQuiet } from '../support/snapshot.js';
import { instructionsIn, relayInstruction } from '../support/transactions.js';
import {
  coordinatorOf,
  crafted,
  decoded,
  leaveWith,
  legIdOf,
  paidByCoordinator,
  poorCouriers,
  signedBy,
} from './scene.js';

const service = withService();
const MEMO = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');

let cast: Cast;
let courier: Party;
/** The courier of the second leg: nobody waits for its first move. */
let second: Party;
let stranger: Party;
/** An acceptance that the service built for the courier. */
let built: string;
let programAddress: Address;

beforeAll(async () => {
  cast = await poorCouriers(service.current);
  [courier, second, stranger] = [at(cast.couriers, 0), at(cast.couriers, 1), await service.current.party(1)];
  const legId = await legIdOf(service.current, cast, 0);
  built = (await courier.client.buildTurnTx({ legId, action: 'accept', pubkey: courier.pubkey })).transaction;
  programAddress = address(service.current.server.programId);
  await untilQuiet(service.current);
});

const coordinator = () => coordinatorOf(service.current);
const accept = (): Instruction => {
  const [only] = instructionsIn(built);
  if (only === undefined) throw new Error('the acceptance has no instruction');
  return only;
};
/** The signer that the coordinator's signature would be taken for. */
const asCoordinator = () => createNoopSigner(coordinator());
const craft = (instructions: readonly Instruction[], signers: readonly Party[] = [courier]) =>
  crafted(service.current, signers, instructions);

/** Hands it in; says how it was refused, and what changed of the ledger or the budgets. */
function answerTo(transaction: string) {
  const wallets = [coordinator(), courier.pubkey, second.pubkey, stranger.pubkey];
  return attempt(service.current, wallets, () => post(service.current, '/transactions/relay', { transaction }));
}

type Code = 'wrong_transaction' | 'transaction_failed' | 'not_your_turn' | 'invalid_status';

/** It is refused so, and neither ledger nor budget has changed. */
const refusal = (says: RegExp, code: Code = 'wrong_transaction') =>
  refusedWith({ status: ERROR_CODES[code].status, code, fields: ['transaction'], says });

describe('the coordinator signs nothing, and its budget is untouched, for a transaction (M-97)', () => {
  test('that its wallet pays for itself', async () => {
    expect(await answerTo(await signedBy(decoded(built), [courier]))).toEqual(refusal(/as its fee payer/));
  });

  test('that its wallet has not signed, or signed otherwise', async () => {
    expect(await answerTo(await paidByCoordinator(service.current, built, []))).toEqual(refusal(/is not signed by/));
    const right = decoded(await paidByCoordinator(service.current, built, [courier]));
    const other = decoded(await craft([...instructionsIn(built), ...instructionsIn(built)]));
    const forged = { ...right, signatures: other.signatures };
    expect(await answerTo(await signedBy(forged, []))).toEqual(refusal(/is not rightly signed by/));
  });

  test('with a signature in the place of its own', async () => {
    const right = decoded(await paidByCoordinator(service.current, built, [courier]));
    const [any] = Object.values(right.signatures).filter((one) => one !== null);
    const filled = { ...right, signatures: { ...right.signatures, [coordinator()]: any ?? null } };
    expect(await answerTo(await signedBy(filled, []))).toEqual(refusal(/which signs last/));
  });

  test('of another version, with lookup tables or without', async () => {
    const { value } = await service.current.rpc.getLatestBlockhash().send();
    const versioned: Transaction = pipe(
      createTransactionMessage({ version: 0 }),
      (empty) => setTransactionMessageFeePayer(coordinator(), empty),
      (paid) => setTransactionMessageLifetimeUsingBlockhash(value, paid),
      (living) => appendTransactionMessageInstructions([accept()], living),
      compileTransaction,
    );
    expect(await answerTo(await signedBy(versioned, [courier]))).toEqual(refusal(/lookup tables/));
    const bytes = Uint8Array.from(versioned.messageBytes);
    // One table, one writable index of it, in place of none.
    const table = Uint8Array.from([...bytes.slice(0, -1), 1, ...new Uint8Array(32).fill(7), 1, 0, 0]);
    const withTable = { ...versioned, messageBytes: table as unknown as Transaction['messageBytes'] };
    expect(await answerTo(await signedBy(withTable, [courier]))).toEqual(refusal(/lookup tables/));
  });

  test('that is a scrap, or has bytes behind its end', async () => {
    expect(await answerTo('AAAA')).toEqual(refusal(/is no transaction/));
    const right = await paidByCoordinator(service.current, built, [courier]);
    const longer = getBase64Decoder().decode(Uint8Array.from([...getBase64Encoder().encode(right), 0]));
    expect(await answerTo(longer)).toEqual(refusal(/./));
  });

  test('with a nonce in place of a blockhash', async () => {
    const nonce = getAdvanceNonceAccountInstruction({
      nonceAccount: await newKey(),
      nonceAuthority: courier.signer,
    });
    expect(await answerTo(await craft([nonce, accept()]))).toEqual(refusal(/a nonce in place of a blockhash/));
  });

  test('that moves its SOL, before or behind the move', async () => {
    const transfer = getTransferSolInstruction({
      source: asCoordinator(),
      destination: address(stranger.pubkey),
      amount: 1n,
    });
    expect(await answerTo(await craft([transfer, accept()]))).toEqual(refusal(/an instruction of the system program/));
    expect(await answerTo(await craft([accept(), transfer]))).toEqual(refusal(/one instruction too many/));
    expect(await answerTo(await craft([transfer], []))).toEqual(refusal(/an instruction of the system program/));
  });

  test('with an instruction of an unknown program', async () => {
    const memo = { programAddress: MEMO, data: new Uint8Array([65]) };
    expect(await answerTo(await craft([memo, accept()]))).toEqual(
      refusal(new RegExp(`an instruction of program ${MEMO}`)),
    );
    expect(await answerTo(await craft([accept(), memo]))).toEqual(refusal(/one instruction too many/));
    expect(await answerTo(await craft([], []))).toEqual(refusal(/holds no instruction of the program/));
  });

  test('with two moves', async () => {
    expect(await answerTo(await craft([accept(), accept()]))).toEqual(refusal(/one instruction too many/));
  });

  test('that may write an account too much, or names one that no instruction needs', async () => {
    const { accounts = [], ...rest } = accept();
    const writable = accounts.map(
      (one): AccountMeta =>
        one.role === AccountRole.READONLY ? { address: one.address, role: AccountRole.WRITABLE } : one,
    );
    expect(await answerTo(await craft([{ ...rest, accounts: writable }]))).toEqual(refusal(/one account too much/));
    const more = { ...rest, accounts: [...accounts, { address: await newKey(), role: AccountRole.READONLY }] };
    expect(await answerTo(await craft([more]))).toEqual(refusal(/instruction 1 is another one/));
  });

  test('that somebody signs beside its mover', async () => {
    const { accounts = [], ...rest } = accept();
    const signer: AccountMeta = { address: address(stranger.pubkey), role: AccountRole.READONLY_SIGNER };
    expect(await answerTo(await craft([{ ...rest, accounts: [...accounts, signer] }], [courier, stranger]))).toEqual(
      refusal(/signs it, which should not/),
    );
  });

  test('whose fee is too high, or whose budget says more than it may', async () => {
    const price = (microLamports: bigint) => getSetComputeUnitPriceInstruction({ microLamports });
    const limit = getSetComputeUnitLimitInstruction({ units: 1_400_000 });
    expect(await answerTo(await craft([price(4_000n), accept()]))).toEqual(refusal(/its fee is too high/));
    expect(await answerTo(await craft([limit, limit, accept()]))).toEqual(refusal(/each once/));
    expect(await answerTo(await craft([accept(), limit]))).toEqual(refusal(/it comes first/));
    const heap = { programAddress: limit.programAddress, data: Uint8Array.of(1, 0, 0, 4, 0) };
    expect(await answerTo(await craft([heap, accept()]))).toEqual(refusal(/each once/));
  });

  test('with a blockhash of yesterday', async () => {
    const old = '4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi' as Blockhash;
    expect(await answerTo(await crafted(service.current, [courier], [accept()], old))).toEqual(
      refusal(/blockhash is too old/, 'transaction_failed'),
    );
  });

  test('in which its signature would count: as courier, lister, authority, or in a list', async () => {
    const { accounts, data } = relayInstruction(service.current, built, 'accept');
    const own = getAcceptInstruction(
      {
        courier: asCoordinator(),
        listing: accounts.listing.address,
        swarm: accounts.swarm?.address ?? programAddress,
        leg: accounts.leg.address,
        lister: accounts.lister.address,
        formation: data.formation,
        take: false,
        counted: [],
      },
      { programAddress },
    );
    expect(await answerTo(await craft([own], []))).toEqual(refusal(/as the courier of accept/));
    const cancel = getCancelPackageInstruction(
      {
        signer: asCoordinator(),
        config: await newKey(),
        package: accounts.listing.address,
        vault: await newKey(),
        funder: address(stranger.pubkey),
      },
      { programAddress },
    );
    expect(await answerTo(await craft([cancel], []))).toEqual(refusal(/as the signer of cancelPackage/));
    const pause = getSetPausedInstruction(
      { authority: asCoordinator(), config: await newKey(), paused: true },
      { programAddress },
    );
    expect(await answerTo(await craft([pause], []))).toEqual(refusal(/about no listing/));
    const { accounts: places = [], ...rest } = accept();
    const listed = { ...rest, accounts: [...places, { address: coordinator(), role: AccountRole.WRITABLE_SIGNER }] };
    expect(await answerTo(await craft([listed]))).toEqual(refusal(/in a list of accept/));
  });

  test('that opens a reputation account at its cost', async () => {
    const open = getOpenReputationInstruction(
      {
        payer: asCoordinator(),
        agent: address(stranger.pubkey),
        reputation: await reputationAddress(programAddress, address(stranger.pubkey)),
      },
      { programAddress },
    );
    expect(await answerTo(await craft([open], []))).toEqual(refusal(/about no listing/));
  });

  test('that creates a token account which the move does not need', async () => {
    const mint = await newKey();
    const payer = { address: coordinator(), role: AccountRole.WRITABLE_SIGNER };
    const create = await createAssociatedToken(payer, address(stranger.pubkey), mint);
    expect(await answerTo(await craft([create, accept()]))).toEqual(refusal(/one account too much/));
    expect(await answerTo(await craft([{ ...create, data: Uint8Array.of(0) }, accept()]))).toEqual(
      refusal(/another way/),
    );
    expect(await answerTo(await craft([accept(), create]))).toEqual(refusal(/one instruction too many/));
    const own = await createAssociatedToken(payer, coordinator(), mint);
    expect(await answerTo(await craft([own, accept()]))).toEqual(refusal(/another way/));
  });

  test('with a text in the place of a signature that nobody gave', async () => {
    const text = { signer: address(courier.pubkey), signature: new Uint8Array(64), text: 'picked up' };
    expect(await answerTo(await craft([...bySignedText(accept(), text)], []))).toEqual(refusal(/has not signed/));
  });

  test('that would fail, because the wallet has too little for its stake', async () => {
    const poor = at(cast.couriers, 2);
    const legId = await legIdOf(service.current, cast, 2);
    const { transaction } = await poor.client.buildTurnTx({ legId, action: 'accept', pubkey: poor.pubkey });
    await leaveWith(service.current, poor, 1_000_000n);
    const theirs = await paidByCoordinator(service.current, transaction, [poor]);
    expect(await answerTo(theirs)).toEqual(refusal(/holds too little SOL/, 'transaction_failed'));
  });

  test('of a move that is not its turn, or of a leg that nobody here knows', async () => {
    const { accounts, data } = relayInstruction(service.current, built, 'accept');
    const of = (leg: Address, by: Party, lister = accounts.lister.address) =>
      getAcceptInstruction(
        {
          courier: by.signer,
          listing: accounts.listing.address,
          swarm: accounts.swarm?.address ?? programAddress,
          leg,
          lister,
          formation: data.formation,
          take: false,
          counted: [],
        },
        { programAddress },
      );
    expect(await answerTo(await craft([of(accounts.leg.address, second)], [second]))).toEqual(
      refusal(/not for/, 'not_your_turn'),
    );
    expect(await answerTo(await craft([of(await newKey(), courier)]))).toEqual(refusal(/does not know or is over/));
    expect(await answerTo(await craft([of(accounts.leg.address, courier, await newKey())]))).toEqual(
      refusal(/instruction 1 is another one/),
    );
  });

  test('by which somebody takes back what is not its own', async () => {
    const { accounts } = relayInstruction(service.current, built, 'accept');
    const cancel = getCancelPackageInstruction(
      {
        signer: stranger.signer,
        config: await newKey(),
        package: accounts.listing.address,
        vault: await newKey(),
        funder: address(stranger.pubkey),
      },
      { programAddress },
    );
    expect(await answerTo(await craft([cancel], [stranger]))).toEqual(refusal(/in_transit/, 'invalid_status'));
  });
});
