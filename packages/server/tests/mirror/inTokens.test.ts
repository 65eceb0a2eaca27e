import {
  assetAddress,
  associatedTokenAddress,
  configAddress,
  createAssociatedToken,
  getAssignLegInstruction,
  getFormSwarmInstruction,
  getSetAssetInstruction,
  inTokens,
  legAddress,
  reputationAddress,
  swarmAddress,
} from '@legwork/program-client';
import { handoffAhead } from '@legwork/sdk';
import { AccountRole, address, generateKeyPairSigner } from '@solana/kit';
import { expect, test } from 'vitest';
import { newMint, newTokens } from '../../../../program/tests/harness/issuing.js';
import { auditOf, linesOf } from '../audit/scene.js';
import { withTaskScene } from '../coordinator/taskScene.js';
import { untilQuiet } from '../support/snapshot.js';
import { land, signed } from '../support/transactions.js';
import { Wallets } from './walletScene.js';

const scene = withTaskScene();
/** Beside the one that a default start has. */
const ASSET = 2;

/** A token of the shipper's own, which the authority has made an asset. */
async function issued() {
  const { service } = scene.current;
  const shipper = await service.party();
  const mint = await generateKeyPairSigner();
  await land(service, await signed(service, [shipper.signer, mint], newMint(shipper.signer, mint)));
  const programAddress = address(service.server.programId);
  const authority = await scene.current.authority();
  const set = getSetAssetInstruction(
    {
      authority,
      config: await configAddress(programAddress),
      asset: await assetAddress(programAddress, ASSET),
      mint: mint.address,
      number: ASSET,
      isOpen: true,
      minAmount: 1n,
    },
    { programAddress },
  );
  await land(service, await signed(service, [shipper.signer, authority], [set]));
  return { service, shipper, programAddress, asset: { number: ASSET, mint: mint.address } };
}

test('a draft that is listed in a token counts for nothing, and its fold and accounts agree (P-109, S-45)', async () => {
  const { service, shipper, programAddress, asset } = await issued();
  const { packageId, instruction } = await new Wallets(service).listing(shipper);
  const vault = instruction.accounts?.[4]?.address;
  if (vault === undefined) throw new Error('a listing names its vault');
  const { signer } = shipper;
  const payer = { address: signer.address, role: AccountRole.WRITABLE_SIGNER, signer };
  const made = [
    ...(await newTokens(signer, asset.mint, signer.address, 1n << 40n)),
    await createAssociatedToken(payer, vault, asset.mint),
    await inTokens(programAddress, instruction, asset),
  ];
  await land(service, await signed(service, [signer], made));
  const purse = await associatedTokenAddress(vault, asset.mint);
  const { value } = await service.rpc.getTokenAccountBalance(purse).send();
  expect(BigInt(value.amount)).toBeGreaterThan(0n);
  await untilQuiet(service);
  await expect(shipper.client.getPackage({ packageId })).rejects.toThrow(/it is a draft that is not listed yet/);
  const { differences } = await auditOf(service);
  expect(linesOf(differences)).toEqual([]);

  // Nor does a wallet take its units for lamports, once a swarm has formed that only the coordinator's key can form.
  const parcel = instruction.accounts?.[3]?.address ?? vault;
  const coordinator = await scene.current.keypair(service.ledger.keypairs.coordinator.path);
  const courier = (await service.party(1)).signer.address;
  const swarm = await swarmAddress(programAddress, parcel);
  const leg = await legAddress(programAddress, swarm, 0);
  const common = { coordinator, config: await configAddress(programAddress), package: parcel, swarm };
  const to = { programAddress };
  const reputation = await reputationAddress(programAddress, courier);
  const formed = [
    getFormSwarmInstruction({ ...common, totalLegs: 1, totalLamports: 5n }, to),
    getAssignLegInstruction({ ...common, leg, courier, reputation, index: 0, paymentLamports: 5n }, to),
  ];
  await land(service, await signed(service, [coordinator], formed));
  const said = { packageId, shipperPubkey: shipper.pubkey, terms: null, assetNumber: 0 };
  const ahead = handoffAhead(service.rpc, { programId: programAddress, said }, shipper.pubkey, { legIndex: 0 });
  await expect(ahead).rejects.toThrow(/pays in asset 2 on the ledger, and in asset 0 by the service/);
});
