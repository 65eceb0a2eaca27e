import { readFile } from 'node:fs/promises';
import { createKeyFile, readKeyFile, tokensHeld } from '@legwork/agents';
import {
  type Asset,
  checkAgainstLedger,
  formatAmount,
  keysOfDocument,
  paidIn,
  serviceConfig,
  SOL,
  verifyReputationCredential,
} from '@legwork/sdk';
import { address, createSolanaRpc } from '@solana/kit';
import type { Agent } from './agent.js';
import type { Shown } from './output.js';
import { orNoSuchFile } from '../paths.js';
import { UserError } from '../screen.js';

/** Makes a key, in a file that only its owner may read. It is never printed. */
export async function newKey({ settings }: Agent, { file }: { readonly file?: string }): Promise<Shown> {
  const path = file ?? settings.key;
  return shown((await createKeyFile(path)).address, path);
}

export async function showKey({ settings }: Agent, { file }: { readonly file?: string }): Promise<Shown> {
  const path = file ?? settings.key;
  return shown((await readKeyFile(path)).address, path);
}

function shown(address: string, file: string): Shown {
  return { data: { address, file }, text: `${address}\n  in ${file}` };
}

/** The balances of this key's wallet: SOL, and the tokens that the service lists in. */
export async function wallet(agent: Agent): Promise<Shown> {
  const pubkey = await agent.pubkey();
  const config = await serviceConfig(agent.client);
  const rpc = createSolanaRpc(agent.settings.rpc ?? config.rpcUrl);
  const { value } = await rpc.getBalance(address(pubkey), { commitment: 'confirmed' }).send();
  const held: (Asset & { readonly amount: bigint })[] = [{ ...SOL, amount: value }];
  for (const { asset } of config.assets.filter(({ mint }) => mint !== null)) {
    const of = await paidIn(config, asset);
    held.push({ asset, decimals: of.decimals, amount: await tokensHeld(rpc, pubkey, of) });
  }
  const lines = held.map(({ amount, ...of }) => `  ${formatAmount(amount, of)}`);
  return { data: { pubkey, held }, text: [pubkey, ...lines].join('\n') };
}

interface RegisterInput {
  readonly name?: string;
  readonly can?: string[];
}

/** Registers the key, signed, so that from then on nobody acts in its name unsigned. */
export async function register(agent: Agent, { name, can }: RegisterInput): Promise<Shown> {
  const { client, signer, policy } = await agent.session();
  const displayName = name ?? policy.name;
  const { agentPubkey, airdrop, tokens } = await client.registerAgent({
    agentPubkey: signer.address,
    ...(displayName !== undefined && { displayName }),
    ...(can !== undefined && { capabilities: can }),
  });
  const gift =
    airdrop.status === 'sent' ? 'the faucet sent SOL to try things out' : `nothing from the faucet: ${airdrop.reason}`;
  const more = tokens.map(({ amount, ...of }) => `, and ${formatAmount(amount, of)}`).join('');
  return { data: { agentPubkey, airdrop, tokens }, text: `${agentPubkey} is registered; ${gift}${more}` };
}

/** The reputation of this key as a credential, or, with a file, whether the credential in it is good. */
export async function credential(agent: Agent, { verify }: { readonly verify?: string }): Promise<Shown> {
  if (verify !== undefined) return check(agent, await orNoSuchFile(verify, readFile(verify, 'utf8')));
  const { jwt } = await agent.client.getReputationCredential({ pubkey: await agent.pubkey() });
  return { data: { jwt }, text: jwt };
}

/** @throws UserError when it is not good: no issuer of the service signed it so, or the ledger says otherwise */
async function check({ client, settings }: Agent, text: string): Promise<Shown> {
  const issuerPubkeys = keysOfDocument(await client.getDid({ pubkey: 'coordinator' }));
  const checked = verifyReputationCredential(text.trim(), { issuerPubkeys });
  if (!checked.valid) throw new UserError(`The credential is not valid: ${checked.reason}.`);
  const { rpcUrl, programId } = await serviceConfig(client);
  const rpc = createSolanaRpc(settings.rpc ?? rpcUrl);
  const { status } = await checkAgainstLedger(rpc, programId, checked.payload);
  if (status !== 'equal' && status !== 'moved_on') {
    throw new UserError(`The issuer signed it, but the ledger says otherwise: ${status}.`);
  }
  const { legsAccepted, legsCompleted, reliabilityScore } = checked.payload.vc.credentialSubject;
  const since = status === 'moved_on' ? ' when it was issued; the ledger has more since' : ', as the ledger says';
  return {
    data: { payload: checked.payload, ledger: status },
    text: `Valid: ${checked.payload.sub}\n  ${legsCompleted} of ${legsAccepted} legs completed, score ${reliabilityScore}${since}`,
  };
}
