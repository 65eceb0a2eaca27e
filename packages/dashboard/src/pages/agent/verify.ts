import { type AgentProfile, checkAgainstLedger, keysOfDocument, type LedgerComparison } from '@legwork/sdk';
import type { CredentialFindings } from '../../checks/credential.js';
import { ledgerRpc } from '../../data/ledger.js';
import { service } from '../../data/service.js';
import { t } from '../../language.js';

/** The credential of an agent, and what this browser found about it. */
export interface Verified {
  readonly jwt: string;
  readonly findings: CredentialFindings;
}

/**
 * Fetches the credential and the DID document of its issuer from the service, and the account from the ledger.
 *
 * @throws LegworkApiError or LegworkNetworkError when the service gives no credential
 */
export async function verifyHere({ agentPubkey, reputation }: AgentProfile): Promise<Verified> {
  const [{ jwt }, document, { checkCredential }] = await Promise.all([
    service.getReputationCredential({ pubkey: agentPubkey }),
    service.getDid({ pubkey: 'coordinator' }),
    import('../../checks/credential.js'),
  ]);
  const question = { jwt, agentPubkey, issuerPubkeys: keysOfDocument(document), shown: reputation, nowMs: Date.now() };
  return { jwt, findings: await checkCredential(question, askLedger) };
}

async function askLedger(payload: Parameters<typeof checkAgainstLedger>[2]): Promise<LedgerComparison> {
  const { rpc, programId } = await ledgerRpc();
  try {
    return await checkAgainstLedger(rpc, programId, payload);
  } catch (error) {
    throw new Error(t('this browser could not read the account from the ledger'), { cause: error });
  }
}
