import { decodeReputation, reputationAddress } from '@legwork/program-client';
import {
  checkCredential,
  credentialEndpointOf,
  didDocument,
  parseDid,
  resolvedDid,
  unresolvedDid,
} from '@legwork/protocol/contract';
import type { CheckedCredential, CredentialPayload, DidResolution } from '@legwork/protocol/contract';
import { reliabilityScore } from '@legwork/protocol/rules';
import { address, fetchEncodedAccount } from '@solana/kit';
import type { GetAccountInfoApi, Rpc } from '@solana/kit';
import { parseServiceUrl } from './client.js';

/** The trust that a credential is verified by. */
export interface CredentialTrust {
  /** Base58; the keys whose word counts: the coordinator's, and those that it had before if you take their word still. */
  readonly issuerPubkeys: readonly string[];
  /** Milliseconds since 1970; default: the clock of this machine. */
  readonly nowMs?: number;
  /** Refuse a credential issued longer ago than this; default: any age. */
  readonly maxAgeSec?: number;
}

/**
 * Checks that a compact JWT is a valid reputation credential of these issuers. It asks nobody: the
 * keys are given, the signature and the claims decide. It never throws, whatever the text. Rule M-64.
 */
export function verifyReputationCredential(
  jwt: string,
  { issuerPubkeys, nowMs = Date.now(), maxAgeSec }: CredentialTrust,
): CheckedCredential {
  return checkCredential(jwt, { issuerPubkeys, nowMs, maxAgeSec });
}

/** The figures of a reputation account. */
export interface LedgerReputation {
  readonly legsAccepted: number;
  readonly legsCompleted: number;
  /** Integer 0 to 100. */
  readonly reliabilityScore: number;
}

/** The ledger's verdict on a credential's figures. */
export type LedgerComparison =
  /** They are those of the account. */
  | { readonly status: 'equal'; readonly ledger: LedgerReputation }
  /** The agent took or completed legs since: the account holds more, as it may. */
  | { readonly status: 'moved_on'; readonly ledger: LedgerReputation }
  /** They never were those of the account, because counts only grow. */
  | { readonly status: 'contradicted'; readonly ledger: LedgerReputation }
  /** `onChainPDA` is not the address of its subject's reputation under this program. */
  | { readonly status: 'wrong_account' }
  /** There is no such account. */
  | { readonly status: 'no_account' };

/**
 * Compares a credential's figures with the account that they are of, read from any Solana RPC node. Neither the service nor the
 * issuer is asked; the address is derived from the subject, not taken from the credential. Rule M-63.
 *
 * @param programId the relay program whose ledger counts; `GET /config` of the service names it
 */
export async function checkAgainstLedger(
  rpc: Rpc<GetAccountInfoApi>,
  programId: string,
  { sub, vc: { credentialSubject } }: Pick<CredentialPayload, 'sub' | 'vc'>,
): Promise<LedgerComparison> {
  const program = address(programId);
  const agent = parseDid(sub);
  if (agent === undefined) return { status: 'wrong_account' };
  const pda = await reputationAddress(program, address(agent));
  if (pda !== credentialSubject.onChainPDA) return { status: 'wrong_account' };
  const account = await fetchEncodedAccount(rpc, pda, { commitment: 'confirmed' });
  // Anybody may send lamports to the address; only the program writes there.
  if (!account.exists || account.programAddress !== program) return { status: 'no_account' };
  const { data } = decodeReputation(account);
  const ledger = {
    legsAccepted: Number(data.legsAccepted),
    legsCompleted: Number(data.legsCompleted),
    reliabilityScore: data.reliabilityScore,
  };
  return { status: compare(credentialSubject, ledger), ledger };
}

function compare(said: LedgerReputation, ledger: LedgerReputation): 'equal' | 'moved_on' | 'contradicted' {
  const { legsAccepted, legsCompleted } = said;
  if (legsCompleted > legsAccepted) return 'contradicted';
  if (said.reliabilityScore !== reliabilityScore(BigInt(legsCompleted), BigInt(legsAccepted))) return 'contradicted';
  if (legsAccepted > ledger.legsAccepted || legsCompleted > ledger.legsCompleted) return 'contradicted';
  return legsAccepted === ledger.legsAccepted && legsCompleted === ledger.legsCompleted ? 'equal' : 'moved_on';
}

/**
 * A resolver of `did:svc` in the form that `did-resolver` takes: `new Resolver(svcDidResolver())`. The key is in the DID, so
 * nobody is asked and nobody need be trusted: the document names that key and no other. The keys that a coordinator had before
 * resolve in the same way, each by its own DID; which of them count is for the verifier to decide.
 *
 * @param options.url address of a service; given, documents say where it answers the credential about their key
 * @throws {TypeError} when the address is not an http or https URL
 */
export function svcDidResolver({ url }: { readonly url?: string } = {}): {
  svc: (did: string) => Promise<DidResolution>;
} {
  const service = url === undefined ? undefined : parseServiceUrl(url);
  return {
    svc: async (did) => {
      const pubkey = parseDid(did);
      if (pubkey === undefined) {
        return unresolvedDid('invalidDid', 'did:svc: must be followed by an Ed25519 public key in base58');
      }
      const parts = service && { credentialEndpoint: credentialEndpointOf(service.href, pubkey) };
      return resolvedDid(didDocument({ pubkey, ...parts }));
    },
  };
}
