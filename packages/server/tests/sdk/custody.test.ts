import { type Receipt, verifyReceipts } from '@legwork/sdk';
import { getAddressEncoder } from '@solana/kit';
import { compactVerify, importJWK } from 'jose';
import { expect, test } from 'vitest';
import { carryTo, CHAIN, formedWithTerms } from '../operations/turns/scene.js';
import { withService } from '../support/service.js';

const service = withService();

/** The claims that the coordinator's key signed. @throws when it did not */
async function claimsOf(jwt: string) {
  const { address } = service.current.ledger.keypairs.coordinator.signer;
  const x = Buffer.from(getAddressEncoder().encode(address)).toString('base64url');
  const { payload, protectedHeader } = await compactVerify(
    jwt,
    await importJWK({ kty: 'OKP', crv: 'Ed25519', x }, 'EdDSA'),
  );
  return { header: protectedHeader, claims: JSON.parse(new TextDecoder().decode(payload)) };
}

test('the receipts of a package are one credential of the coordinator, and still prove themselves (S-213)', async () => {
  const cast = await formedWithTerms(service.current, CHAIN, {});
  const { id: packageId } = cast.parcel;
  const { client } = cast.shipper;
  const before = await claimsOf((await client.getPackageCustody({ packageId })).jwt);
  expect(before.claims.vc.credentialSubject).toMatchObject({ id: `urn:uuid:${packageId}`, receipts: [] });
  await carryTo(service.current, cast, 1);

  const { receipts } = await client.getPackageReceipts({ packageId });
  const answer = await fetch(`${service.current.server.url}/packages/${packageId}/custody`);
  expect(answer.headers.get('content-type')).toContain('text/plain');
  const jwt = await answer.text();
  const { header, claims } = await claimsOf(jwt);
  expect(header).toMatchObject({ alg: 'EdDSA', typ: 'JWT', kid: `${claims.iss}#key-1` });
  expect(claims).toMatchObject({ sub: `urn:uuid:${packageId}`, vc: { issuer: claims.iss } });
  expect(claims.vc.type).toEqual(['VerifiableCredential', 'LegworkCustodyCredential']);
  const held: Receipt[] = claims.vc.credentialSubject.receipts;
  expect(held).toEqual(receipts);
  expect(await verifyReceipts(held, { rpc: service.current.rpc })).toMatchObject({ paid: [0, 1], isEnded: false });

  // It says nothing of a reputation, however it is shown, and costs nobody trust.
  expect(await client.verifyCredential({ jwt })).toMatchObject({ valid: false });
  const unknown = await fetch(`${service.current.server.url}/packages/${crypto.randomUUID()}/custody`);
  expect(unknown.status).toBe(404);
});
