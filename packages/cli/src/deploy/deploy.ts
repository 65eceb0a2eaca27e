import { readFile } from 'node:fs/promises';
import { type DeployOutcome, deployProgram, type InitializeOutcome, initializeRelay, setAsset } from '@legwork/deploy';
import { loadOrCreateKeypair } from '@legwork/ledger';
import { type Address, createSolanaRpc, isAddress } from '@solana/kit';
import { addressOf, readKeyFile, shownKeyFile } from '../keyFiles.js';
import { orNoSuchFile } from '../paths.js';
import { messageOf, printDone, UsageError, UserError } from '../screen.js';

/** The options of `legwork program deploy`. */
export interface DeployOptions {
  readonly url: string;
  readonly keypair: string;
  readonly programKeypair: string;
  readonly authority?: string;
  readonly coordinator: string;
  readonly so: string;
  readonly json: boolean;
}

/** Deploys and initialises the program, and prints what was done and what to set. */
export async function deploy(options: DeployOptions): Promise<void> {
  const payer = await readKeyFile(options.keypair);
  const so = await orNoSuchFile(options.so, readFile(options.so));
  await requireMoney(options.url, payer.address);
  const coordinator = await addressOf(options.coordinator);
  const authority = options.authority ?? payer.address;
  const deployed = await deployProgram({
    rpcUrl: options.url,
    payer,
    programKeypair: await loadOrCreateKeypair(options.programKeypair),
    so,
    upgradeAuthority: payer,
    log: (line) => void (options.json ? process.stderr : process.stdout).write(`${line}\n`),
  });
  const initialized = await initializeRelay({
    rpcUrl: options.url,
    programAddress: deployed.programAddress,
    upgradeAuthority: payer,
    authority: isAddress(authority) ? authority : (await readKeyFile(authority)).address,
    coordinator,
  });
  await printDone(
    options.json,
    { ...deployed, ...initialized, outcome: deployed.outcome, initialized: initialized.outcome },
    summary(options, deployed, initialized, coordinator),
  );
}

/** The options of `legwork program asset`. */
export interface AssetOptions {
  readonly url: string;
  readonly program: string;
  readonly authority: string;
  readonly number: number;
  readonly mint: string;
  readonly least: number;
  readonly close: boolean;
  readonly json: boolean;
}

/** Makes a token an asset of the program, and prints what services set for it. */
export async function nameAsset(options: AssetOptions): Promise<void> {
  const { url, number, mint, least, close, json } = options;
  const [programAddress, mintAddress] = [options.program, mint];
  if (!isAddress(programAddress)) throw new UsageError(`--program: ${programAddress} is no address.`);
  if (!isAddress(mintAddress)) throw new UsageError(`--mint: ${mintAddress} is no address.`);
  const authority = await readKeyFile(options.authority);
  const asset = { number, mint: mintAddress, isOpen: !close, minAmount: BigInt(least) };
  const { account, signature } = await setAsset({ rpcUrl: url, programAddress, authority }, asset);
  await printDone(
    json,
    { number, mint, account, isOpen: !close, signature },
    `Asset ${number} (${account}) is the token ${mint}, ${close ? 'closed to' : 'open for'} new listings, by transaction ${signature}.\n` +
      (close
        ? ''
        : `Name it in the setting ASSETS of each service, such as ASSETS=usdc:${number}, and start them again.\n`),
  );
}

/** @throws UserError when the cluster does not answer, or the payer has no SOL there */
async function requireMoney(url: string, payer: Address): Promise<void> {
  const rpc = createSolanaRpc(url);
  const { value } = await rpc
    .getBalance(payer, { commitment: 'confirmed' })
    .send()
    .catch((error: unknown) => {
      throw new UserError(`${url} does not answer as the JSON-RPC of a Solana cluster: ${messageOf(error)}.`);
    });
  if (value === 0n) throw new UserError(`The payer ${payer} has no SOL on ${url}; send it some first.`);
}

function summary(
  { url, coordinator: given }: DeployOptions,
  { programAddress, outcome, sha256 }: DeployOutcome,
  { authority, coordinator, outcome: initialized }: InitializeOutcome,
  wanted: Address,
): string {
  const rows: [string, string][] = [
    ['Program', `${programAddress} (${outcome})`],
    ['SHA-256', sha256],
    ['Authority', authority],
    ['Coordinator', `${coordinator}${coordinator === wanted ? '' : ` (named earlier, so not ${wanted})`}`],
  ];
  const lines = [
    '',
    initialized === 'initialized' ? 'The program is deployed and initialised.' : 'The program was initialised earlier.',
    '',
    ...rows.map(([name, value]) => `  ${name.padEnd(13)}${value}`),
    '',
    'What to set for legwork start, which brings PostgreSQL, or with DATABASE_URL for legwork serve:',
    '',
    `  SOLANA_RPC_URL=${url}`,
    `  RELAY_PROGRAM_ID=${programAddress}`,
    `  COORDINATOR_KEYPAIR=${shownKeyFile(given)}`,
    '',
    'The coordinator pays fees and rent: keep some SOL in its wallet.',
    '',
  ];
  return lines.join('\n');
}
