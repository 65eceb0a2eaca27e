import { getTransferSolInstruction } from '@solana-program/system';
import { beforeAll, expect, test } from 'vitest';
import { at, type Cast, formedWithTerms, move, moveWithText } from '../operations/turns/scene.js';
import { untilPackage } from '../support/market.js';
import { type Party, withService } from '../support/service.js';
import { untilQuiet } from '../support/snapshot.js';
import { land, signed } from '../support/transactions.js';
import { accountsSay, factsOf } from './readings.js';
import { auditOf, linesOf } from './scene.js';

const service = withService();
const FEE_LAMPORTS = 5000n;
let cast: Cast;

/** Sends all that the wallet has to another one. */
async function empty({ signer }: Party, to: Party): Promise<void> {
  const { value } = await service.current.rpc.getBalance(signer.address, { commitment: 'confirmed' }).send();
  const amount = value - FEE_LAMPORTS;
  const transfer = getTransferSolInstruction({ source: signer, destination: to.signer.address, amount });
  await land(service.current, await signed(service.current, [signer], [transfer]));
}

beforeAll(async () => {
  cast = await formedWithTerms(service.current, [['zoo', 'ostkreuz', 0.07]], { stakeSol: 0.00178176 });
  const { shipper, arbiter } = cast;
  const courier = at(cast.couriers, 0);
  await move(service.current, cast, 0, courier, 'take');
  await moveWithText(service.current, cast, 0, courier, 'claim', 'at the door');
  await moveWithText(service.current, cast, 0, shipper, 'dispute', 'nothing is at the door');
  await empty(courier, shipper);
  await move(service.current, cast, 0, arbiter, 'rule', { percent: 1 });
  await untilPackage(service.current, cast.parcel.id, ({ swarm }) => swarm?.legs[0]?.stage === 'completed');
  await untilQuiet(service.current);
});

test('what an empty wallet cannot receive is in the vault by the replay, as the accounts say (T-17, T-43)', async () => {
  const facts = await factsOf(service.current);
  const parcel = [...facts.packages.values()].find(({ id }) => id === cast.parcel.id);
  // One percent of two stakes, less the fee.
  expect(parcel).toMatchObject({ paidLamports: 0n, gainedLamports: 26_726n });
  expect(parcel?.formation?.steps.find((step) => step.move === 'rule')?.movements).toMatchObject([
    { what: 'stake_returned', to: parcel?.vault, lamports: 26_726n },
    { what: 'stake_returned', to: cast.shipper.pubkey },
    { what: 'arbiter_fee', to: cast.arbiter.pubkey },
  ]);
  expect(await accountsSay(service.current, facts)).toBe('');
});

test('so it is shown, and the rows say the same (T-17, T-68)', async () => {
  const { client } = await service.current.party(0);
  const { movements, vaultLamports } = await client.getPackageMoney({ packageId: cast.parcel.id });
  expect(vaultLamports).toBe(0n);
  expect(movements.filter(({ what }) => what === 'payment')).toEqual([]);
  expect(movements.at(-1)).toMatchObject({ what: 'refund', lamports: cast.parcel.maxBudgetLamports + 26_726n });
  const { earnedLamports } = (await client.getAgent({ agentPubkey: at(cast.couriers, 0).pubkey })).history;
  expect(earnedLamports).toBe(0n);
  expect(linesOf((await auditOf(service.current)).differences)).toEqual([]);
});
