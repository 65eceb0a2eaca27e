import {
  closeMandate,
  configAddress,
  getCancelPackageInstruction,
  getListPackageInstruction,
  mandateAddress,
  packageAddress,
  setMandate,
  vaultAddress,
} from '@legwork/program-client';
import { createUuid, uuidToBytes } from '@legwork/protocol/contract';
import { getTransferSolInstruction } from '@solana-program/system';
import { address } from '@solana/kit';
import { expect, test } from 'vitest';
import { withService } from '../support/service.js';
import { land, signed } from '../support/transactions.js';
import { accountsSay, factsOf } from './readings.js';
import { auditOf, linesOf } from './scene.js';

const service = withService();
const LIMITS = { permits: 3, cap: 50_000_000n, period: 3_600, expiresAt: 0n, maxAhead: 604_800 };
const arbiter = address('11111111111111111111111111111111');

/** A mandate with money in it, and who it is between. */
async function mandated() {
  const programAddress = address(service.current.server.programId);
  const [owner, delegate] = [await service.current.party(), await service.current.party()];
  const seeds = { owner: owner.signer.address, delegate: delegate.signer.address, asset: 0 };
  const mandate = await mandateAddress(programAddress, seeds);
  const parties = { owner: owner.signer, delegate: delegate.signer.address };
  const set = await setMandate(programAddress, parties, { ...LIMITS, arbiter });
  const fund = getTransferSolInstruction({ source: owner.signer, destination: mandate, amount: 60_000_000n });
  await land(service.current, await signed(service.current, [owner.signer], [set, fund]));
  return { programAddress, owner: owner.signer, delegate: delegate.signer, mandate, parties };
}

test('an audit explains mandates, what they funded and what came back, and tells of one that differs (P-114, P-117, S-45)', async () => {
  const { programAddress, owner, delegate, mandate, parties } = await mandated();
  const config = await configAddress(programAddress);
  const id = uuidToBytes(createUuid());
  const parcel = await packageAddress(programAddress, delegate.address, id);
  const vault = await vaultAddress(programAddress, parcel);
  const deadline = BigInt(Math.floor(Date.now() / 1000)) + 86_400n;
  const offer = { packageId: id, maxBudget: 10_000_000n, deadline, termsHash: new Uint8Array(32) };
  const accounts = { funder: mandate, shipper: delegate, config, package: parcel, vault };
  const list = getListPackageInstruction({ ...accounts, ...offer }, { programAddress });
  await land(service.current, await signed(service.current, [delegate], [list]));
  const { differences } = await auditOf(service.current);
  expect(linesOf(differences)).toEqual([]);
  const cancelling = { signer: owner, config, package: parcel, vault, funder: mandate };
  const cancel = getCancelPackageInstruction(cancelling, { programAddress });
  await land(service.current, await signed(service.current, [owner], [cancel]));
  const facts = await factsOf(service.current);
  expect(facts.packages.get(parcel)).toMatchObject({ funder: mandate, status: 'cancelled' });
  expect(await accountsSay(service.current, facts)).toBe('');

  const known = facts.mandates.get(mandate);
  if (!known) throw new Error('the facts know the mandate');
  known.limits = { ...known.limits, cap: 49_000_000n };
  expect(await accountsSay(service.current, facts)).toContain('cap');
  facts.mandates.delete(mandate);
  expect(await accountsSay(service.current, facts)).toContain(mandate);

  await land(service.current, await signed(service.current, [owner], [await closeMandate(programAddress, parties)]));
  expect(linesOf((await auditOf(service.current)).differences)).toEqual([]);
});
