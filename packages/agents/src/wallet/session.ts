import { createLegworkClient, ledgerRpc, serviceConfig } from '@legwork/sdk';
import type { LegworkClient, LegworkSigner, ServiceConfig } from '@legwork/sdk';
import type { Rpc, SolanaRpcApi } from '@solana/kit';
import { Journal } from '../journal.js';
import type { JournalEntry, JournalView } from '../journal.js';
import { KeptPapers } from '../keptPapers.js';
import { readKeyFile } from '../keyFile.js';
import type { Settings } from '../settings.js';
import type { Policy } from '../policy/policy.js';
import { assetRules } from './assetRules.js';
import type { AssetRules } from './assetRules.js';
import { guardSigner } from './guardSigner.js';
import type { Guard } from './guardSigner.js';
import { Spending } from './spending.js';
import { Stakes, stakeRulesOf } from './stakes.js';

/** The service names another program or ledger than this key worked with. Nothing was signed. */
export class TrustError extends Error {
  override readonly name = 'TrustError';
}

/** An agent at work: its key behind a guard, its service, its ledger, its journal. */
export interface Session {
  readonly policy: Settings;
  /** Signs within the policy's limits; the key itself is nowhere else. */
  readonly signer: LegworkSigner;
  readonly client: LegworkClient;
  readonly rpc: Rpc<SolanaRpcApi>;
  readonly config: ServiceConfig;
  /** The assets that it may pay, stake and be paid in, SOL first. */
  readonly assets: readonly AssetRules[];
  readonly journal: Journal;
  readonly spending: Spending;
  readonly stakes: Stakes;
  /** Of the listings in which the key has a part. */
  readonly papers: KeptPapers;
  close(): Promise<void>;
}

/** The options of a session, beside its policy. */
export interface SessionOptions {
  /** Further readers of the journal. */
  readonly views?: readonly JournalView[];
  readonly approve?: Guard['approve'];
  /** Takes lines for a person, in a log, if anybody reads them. */
  readonly say?: (line: string) => void;
}

/**
 * Opens the key of a policy: reads its journal, asks the service for program and ledger, and makes sure that they are those
 * that this key trusts.
 *
 * @throws {KeyFileError}, {JournalError}, {TrustError}
 */
export async function openSession(policy: Settings, options: SessionOptions = {}): Promise<Session> {
  const { views = [], approve, say = () => undefined } = options;
  const key = await readKeyFile(policy.key);
  const spending = new Spending();
  const stakes = new Stakes();
  const trust = new Trust();
  const journal = await Journal.open(journalOf(policy.key), [spending, stakes, trust, ...views]);
  try {
    const config = await serviceConfig(createLegworkClient({ url: policy.service }));
    const rpc = ledgerRpc(policy.rpc ?? config.rpcUrl);
    const found = {
      service: policy.service,
      genesisHash: await rpc.getGenesisHash().send(),
      program: config.programId,
    };
    await journal.decide(() => trust.accept(found, policy, config));
    const { programId, feePayerPubkey: feePayer } = config;
    const guard = { programId, feePayer, host: new URL(policy.service).host, rpc, journal, spending, stakes };
    const assets = await assetRules(policy, config, rpc);
    const rules = { assets, stakeRules: (of: AssetRules) => stakeRulesOf(policy, config, of) };
    const signer = guardSigner(key, { ...guard, ...rules, ...(approve && { approve }) });
    const client = createLegworkClient({ url: policy.service, signer });
    const ledger = () => Promise.resolve({ rpc, programId });
    const papers = await KeptPapers.open({ pubkey: key.address, keyFile: policy.key, client, ledger, say });
    const close = async () => {
      await papers.close();
      await journal.close();
    };
    return { policy, signer, client, rpc, config, assets, journal, spending, stakes, papers, close };
  } catch (error) {
    await journal.close();
    throw error;
  }
}

/** Where the journal of a key is: beside it. */
export function journalOf(keyFile: string): string {
  return `${keyFile.replace(/\.json$/, '')}.journal.jsonl`;
}

/** Which program and ledger a service had. */
export type Trusted = Omit<Extract<JournalEntry, { kind: 'trusted' }>, 'kind' | 'at'>;

/** Which program and ledger each service had when this key first worked with it. Rule A-5. */
class Trust implements JournalView {
  readonly #known = new Map<string, Trusted>();

  take(entry: JournalEntry): void {
    if (entry.kind === 'trusted') this.#known.set(entry.service, entry);
  }

  /** @returns the entries to write @throws {TrustError} */
  accept(found: Trusted, policy: Policy, config: ServiceConfig) {
    if (found.genesisHash !== config.genesisHash) {
      throw new TrustError(`the service is on ledger ${config.genesisHash}, and the RPC node on ${found.genesisHash}`);
    }
    if (policy.program !== undefined && policy.program !== found.program) {
      throw new TrustError(`the service names program ${found.program}, and the policy ${policy.program}`);
    }
    const known = this.#known.get(found.service);
    const isSame = known?.program === found.program && known.genesisHash === found.genesisHash;
    if (known && !isSame && policy.program === undefined && !isOnThisMachine(found.service)) {
      throw new TrustError(
        `${found.service} was on program ${known.program} of ledger ${known.genesisHash} and is now on program ` +
          `${found.program} of ledger ${found.genesisHash}. If that is right, write "program: ${found.program}" into the policy`,
      );
    }
    return isSame ? [] : [{ kind: 'trusted' as const, ...found }];
  }
}

/** A service of one's own machine may begin again with another ledger: one that is tried out does so at each start. */
function isOnThisMachine(url: string): boolean {
  return /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])$/.test(new URL(url).hostname);
}
