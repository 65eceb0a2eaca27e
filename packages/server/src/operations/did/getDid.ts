import { credentialEndpointOf, didDocument, type operations } from '@legwork/protocol/contract';
import type { Run } from '../run.js';
import { didKey } from './guards.js';

export const getDid: Run<typeof operations.getDid> = async (context, input) => {
  const { ledger, issuers, publicUrl } = context;
  const pubkey = didKey(context, input.pubkey);
  const formerKeys = pubkey === ledger.coordinator.address ? await issuers.read() : [];
  const credentialEndpoint = credentialEndpointOf(publicUrl, pubkey);
  return { answer: didDocument({ pubkey, formerKeys, credentialEndpoint }) };
};
