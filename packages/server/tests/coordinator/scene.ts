import {
  configAddress,
  getCancelPackageInstruction,
  getPackageDecoder,
  type PackageStatus,
} from '@legwork/program-client';
import { parseKeypairFile } from '@legwork/protocol/contract';
import type { PackageDetail } from '@legwork/sdk';
import { getCreateAccountInstruction, getTransferSolInstruction } from '@solana-program/system';
import {
  address,
  createKeyPairSignerFromBytes,
  generateKeyPairSigner,
  getBase64Encoder,
  type KeyPairSigner,
  lamports,
} from '@solana/kit';
import { readFile } from 'node:fs/promises';
import { loadConfig } from '../../src/config.js';
import { type RunningServer, startServer } from '../../src/startServer.js';
import type { Party, TestService } from '../support/service.js';
import { land, signed } from '../support/transactions.js';

/** Another replica of the service, on the same ledger and database. */
export function startReplica(service: TestService, settings: Record<string, string> = {}): Promise<RunningServer> {
  return startServer(loadConfig({ ...service.environment(), LOG_LEVEL: 'silent', ...settings }));
}

/** The shipper's signed cancel_package, not sent. */
export async function cancellation(service: TestService, shipper: Party, parcel: PackageDetail): Promise<string> {
  const programAddress = address(service.server.programId);
  const cancel = getCancelPackageInstruction(
    {
      signer: shipper.signer,
      config: await configAddress(programAddress),
      package: address(parcel.onChainPackage),
      vault: address(parcel.onChainVault),
      funder: address(parcel.funderPubkey),
    },
    { programAddress },
  );
  return signed(service, [shipper.signer], [cancel]);
}

/** Gives a wallet's address to a program: no leg can be assigned to it any more. */
export async function spoilCourier(service: TestService, payer: Party, courier: KeyPairSigner): Promise<void> {
  const create = getCreateAccountInstruction({
    payer: payer.signer,
    newAccount: courier,
    lamports: 2_000_000n,
    space: 0n,
    programAddress: address(service.server.programId),
  });
  await land(service, await signed(service, [payer.signer, courier], [create]));
}

/** The status of a package on the ledger. */
export async function statusOnLedger(service: TestService, parcel: PackageDetail): Promise<PackageStatus> {
  const { value } = await service.rpc
    .getAccountInfo(address(parcel.onChainPackage), { commitment: 'confirmed', encoding: 'base64' })
    .send();
  if (!value) throw new Error(`the ledger shows no package ${parcel.id}`);
  return getPackageDecoder().decode(getBase64Encoder().encode(value.data[0])).status;
}

/** Lamports of an address now. */
export async function lamportsOf(service: TestService, pubkey: string): Promise<bigint> {
  const { value } = await service.rpc.getBalance(address(pubkey), { commitment: 'confirmed' }).send();
  return value;
}

/** The coordinator's own keypair. */
export async function coordinatorSigner(service: TestService): Promise<KeyPairSigner> {
  const file = await readFile(service.ledger.keypairs.coordinator.path, 'utf8');
  return createKeyPairSignerFromBytes(parseKeypairFile(file));
}

/** Leaves the coordinator with so many lamports, from the faucet or by spending the rest. */
export async function leaveCoordinatorWith(service: TestService, target: bigint): Promise<void> {
  const coordinator = await coordinatorSigner(service);
  const balance = await lamportsOf(service, coordinator.address);
  const fee = 5_000n;
  if (balance < target) {
    await service.rpc.requestAirdrop(coordinator.address, lamports(target - balance)).send();
    return;
  }
  if (balance < target + fee) throw new Error('the difference is less than a fee');
  const { address: destination } = await generateKeyPairSigner();
  const transfer = getTransferSolInstruction({ source: coordinator, destination, amount: balance - target - fee });
  await land(service, await signed(service, [coordinator], [transfer]));
}

/** The swarms that were ever chosen for a package, oldest first. */
export async function swarmsOf(service: TestService, packageId: string) {
  return service.db
    .selectFrom('swarms')
    .select(['id', 'status', 'formation'])
    .where('package_id', '=', packageId)
    .orderBy('id')
    .execute();
}
