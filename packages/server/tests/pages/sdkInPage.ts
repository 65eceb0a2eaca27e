// Bundled and run in a page: what the SDK does in a browser.
import {
  createLegworkClient,
  followEvents,
  keysOfDocument,
  svcDidResolver,
  verifyReputationCredential,
} from '@legwork/sdk';
import { generateKeyPairSigner } from '@solana/kit';

/** A credential, had from the service and verified with what the browser has. */
export async function verifyInPage(url: string, agentPubkey: string) {
  const client = createLegworkClient({ url });
  const issuerPubkeys = keysOfDocument(await client.getDid({ pubkey: 'coordinator' }));
  const { jwt } = await client.getReputationCredential({ pubkey: agentPubkey });
  const { publicUrl } = await client.getConfig();
  const { didDocument } = await svcDidResolver({ url: publicUrl }).svc(`did:svc:${agentPubkey}`);
  const served = await client.getDid({ pubkey: agentPubkey });
  return {
    checked: verifyReputationCredential(jwt, { issuerPubkeys }),
    byAnother: verifyReputationCredential(jwt, { issuerPubkeys: [agentPubkey] }),
    changed: verifyReputationCredential(`${jwt.slice(0, -8)}AAAAAAAA`, { issuerPubkeys }),
    resolved: didDocument,
    served,
  };
}

/** A request that a key of the browser's own signs, refused with what an SDK error carries. */
export async function signInPage(url: string) {
  const signer = await generateKeyPairSigner();
  const client = createLegworkClient({ url, signer });
  const claim = { devnetPubkey: signer.address, mainnetPubkey: signer.address };
  const { devnetEarningsLamports } = await client.previewRewardClaim({ devnetPubkey: signer.address });
  const refused: unknown = await client
    .registerRewardClaim({ ...claim, confirmedEarningsLamports: 1 })
    .catch((error: unknown) => error);
  return { earned: String(devnetEarningsLamports), refused: refused instanceof Error ? refused.message : undefined };
}

/** The first event that the stream tells. */
export async function followInPage(url: string): Promise<string> {
  for await (const { type } of followEvents({ url, since: 0 })) return type;
  throw new Error('the stream ended');
}
