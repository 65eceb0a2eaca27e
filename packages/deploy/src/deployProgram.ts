import { createHash } from 'node:crypto';
import { programDataAddress } from '@legwork/program-client';
import {
  createKeyPairSignerFromPrivateKeyBytes,
  createSignableMessage,
  createSolanaRpc,
  type Address,
  type Instruction,
  type KeyPairSigner,
} from '@solana/kit';
import { getCreateAccountInstruction } from '@solana-program/system';
import { Cluster, DeployError } from './cluster.js';
import {
  BUFFER_HEADER,
  type DeployAccounts,
  deployWithMaxDataLen,
  extend,
  initializeBuffer,
  LOADER,
  PROGRAM_BYTES,
  PROGRAM_DATA_HEADER,
  upgrade,
  upgradeAuthorityOf,
  write,
  WRITE_BYTES,
} from './loader.js';

export type ProgramToDeploy = {
  /** Pays fees and rent; the rent of the buffer goes into the program. */
  readonly payer: KeyPairSigner;
  /** Its address becomes the program's. */
  readonly programKeypair: KeyPairSigner;
  /** The program, as the bytes of an ELF file. */
  readonly so: Uint8Array;
  /** May replace the program later. */
  readonly upgradeAuthority: KeyPairSigner;
  /** Called with a line for each step. */
  readonly log?: (line: string) => void;
};

export type DeployProgramOptions = ProgramToDeploy & {
  readonly rpcUrl: string;
};

export type DeployOutcome = {
  readonly programAddress: Address;
  readonly programDataAddress: Address;
  /** `unchanged`: the same bytes were deployed already, and nothing was sent. */
  readonly outcome: 'deployed' | 'upgraded' | 'unchanged';
  /** Of the program, in hex. */
  readonly sha256: string;
};

/**
 * Deploys a program with the upgradeable loader, or upgrades it when its bytes differ. Safe to call again after any
 * interruption: the buffer's address follows from the program and its authority, so the next call finds what is paid
 * and written already. Rule L-26.
 *
 * @throws DeployError when the address holds something else, another authority may upgrade it, or the cluster refuses
 */
export async function deployProgram(options: DeployProgramOptions): Promise<DeployOutcome> {
  return deployOn(new Cluster(createSolanaRpc(options.rpcUrl)), options);
}

/** Rounds of writes before giving up. */
const MAX_ROUNDS = 10;
const WRITES_AT_ONCE = 8;
/** Bytes: clusters refuse to make a program's room larger by less. */
const LEAST_EXTENSION = 10_240;
/** Room for upgrades: twice the length. */
const ROOM_FACTOR = 2;
/** Two signatures, in lamports. */
const WRITE_FEE = 10_000n;
/** Fees of the other transactions, and rent of the relay program's Config account, in lamports. */
const OTHER_COSTS = 5_000_000n;
const ELF_MAGIC = Buffer.from([0x7f, 0x45, 0x4c, 0x46]);

export async function deployOn(cluster: Cluster, program: ProgramToDeploy): Promise<DeployOutcome> {
  const { programKeypair, so } = program;
  if (!ELF_MAGIC.equals(so.subarray(0, 4))) throw new DeployError('The program is not an ELF file.');
  const programData = await programDataAddress(programKeypair.address);
  const result = {
    programAddress: programKeypair.address,
    programDataAddress: programData,
    sha256: createHash('sha256').update(so).digest('hex'),
  };
  const present = await presentBytes(cluster, program, programData);
  if (present !== undefined && isSameProgram(present, so)) return { ...result, outcome: 'unchanged' };
  const buffer = await bufferSigner(program);
  await requireFunds(cluster, program, buffer.address, present);
  await fillBuffer(cluster, program, buffer);
  const accounts = {
    payer: program.payer,
    programData,
    program: programKeypair.address,
    buffer: buffer.address,
    authority: program.upgradeAuthority,
  };
  program.log?.(`${present === undefined ? 'deploying' : 'upgrading'} ${programKeypair.address}`);
  if (present === undefined) {
    const create = await createAccount(cluster, program.payer, programKeypair, PROGRAM_BYTES);
    await cluster.run(program.payer, [create, deployWithMaxDataLen(accounts, so.length * ROOM_FACTOR)]);
  } else {
    const missing = roomMissing(present, so);
    if (missing > 0) await makeRoom(cluster, program, accounts, missing);
    await cluster.run(program.payer, [upgrade(accounts)]);
  }
  // The loader makes new code callable from the next slot on.
  await cluster.nextSlot();
  return { ...result, outcome: present === undefined ? 'deployed' : 'upgraded' };
}

/** Bytes by which the room of the present program has to grow, at least as many as a cluster takes; 0: it is large enough. */
function roomMissing(present: Uint8Array, so: Uint8Array): number {
  return present.length < so.length ? Math.max(so.length - present.length, LEAST_EXTENSION) : 0;
}

async function makeRoom(
  cluster: Cluster,
  { payer, log }: ProgramToDeploy,
  accounts: DeployAccounts,
  bytes: number,
): Promise<void> {
  log?.(`making room for ${bytes} bytes more`);
  try {
    await cluster.run(payer, [extend(accounts, bytes, 'plain')]);
  } catch (plain) {
    try {
      await cluster.run(payer, [extend(accounts, bytes, 'checked')]);
    } catch (checked) {
      throw new DeployError(`The program's room cannot be made larger: ${reasonOf(plain)}; ${reasonOf(checked)}`);
    }
  }
  // The loader upgrades no program in the slot of its extension.
  await cluster.nextSlot();
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The deployed program with the room after it; undefined when nothing is deployed at the address. */
async function presentBytes(
  cluster: Cluster,
  { programKeypair, upgradeAuthority }: ProgramToDeploy,
  programData: Address,
): Promise<Uint8Array | undefined> {
  const account = await cluster.dataOf(programKeypair.address);
  if (account === undefined) return undefined;
  if (account.owner !== LOADER) {
    throw new DeployError(
      `The address ${programKeypair.address} is in use by an account of ${account.owner}; choose another program keypair.`,
    );
  }
  const stored = await cluster.dataOf(programData);
  if (stored === undefined) {
    throw new DeployError(`The program ${programKeypair.address} was closed; its address cannot be used again.`);
  }
  const authority = upgradeAuthorityOf(stored.data);
  if (authority !== upgradeAuthority.address) {
    throw new DeployError(
      `The program ${programKeypair.address} may be upgraded by ${authority ?? 'nobody'}, not by ${upgradeAuthority.address}.`,
    );
  }
  return stored.data.subarray(PROGRAM_DATA_HEADER);
}

function isSameProgram(present: Uint8Array, so: Uint8Array): boolean {
  return (
    Buffer.compare(present.subarray(0, so.length), so) === 0 && present.subarray(so.length).every((byte) => byte === 0)
  );
}

/** The same buffer for the same bytes, program and authority: ed25519 signatures are deterministic. */
async function bufferSigner({ so, programKeypair, upgradeAuthority }: ProgramToDeploy): Promise<KeyPairSigner> {
  const digest = createHash('sha256').update(so).digest('hex');
  // Never change this text: a buffer that was paid for under another one would not be found again.
  const text = `Agent Relay: buffer for program ${programKeypair.address} with sha256 ${digest}`;
  const [signatures] = await upgradeAuthority.signMessages([createSignableMessage(text)]);
  const signature = signatures?.[upgradeAuthority.address];
  if (signature === undefined) throw new DeployError('The upgrade authority did not sign.');
  return createKeyPairSignerFromPrivateKeyBytes(createHash('sha256').update(signature).digest());
}

async function createAccount(
  cluster: Cluster,
  payer: KeyPairSigner,
  newAccount: KeyPairSigner,
  space: number,
): Promise<Instruction> {
  const lamports = await cluster.rpc.getMinimumBalanceForRentExemption(BigInt(space)).send();
  return getCreateAccountInstruction({ payer, newAccount, lamports, space, programAddress: LOADER });
}

/**
 * Checks first that the payer can pay for all of it: half a deployment costs money too.
 *
 * @throws DeployError with what is missing
 */
async function requireFunds(
  cluster: Cluster,
  { payer, so }: ProgramToDeploy,
  buffer: Address,
  present: Uint8Array | undefined,
): Promise<void> {
  const rent = async (space: number): Promise<bigint> =>
    cluster.rpc.getMinimumBalanceForRentExemption(BigInt(space)).send();
  const inBuffer = await rent(BUFFER_HEADER + so.length);
  const isUpgrade = present !== undefined;
  const more = isUpgrade ? roomMissing(present, so) : 0;
  const needed = isUpgrade
    ? inBuffer + (await rent(more)) - (await rent(0))
    : (await rent(PROGRAM_BYTES)) + (await rent(programDataBytes(so)));
  const paid = (await cluster.dataOf(buffer)) === undefined ? 0n : inBuffer;
  const fees = BigInt(Math.ceil(so.length / WRITE_BYTES)) * WRITE_FEE + OTHER_COSTS;
  const { value: balance } = await cluster.rpc.getBalance(payer.address, { commitment: 'confirmed' }).send();
  const missing = needed - paid + fees - balance;
  if (missing <= 0n) return;
  throw new DeployError(
    `The payer ${payer.address} has ${inSol(balance)} SOL, and ${isUpgrade ? 'the upgrade' : 'the program'} takes ${inSol(needed - paid + fees)}; send it ${inSol(missing)} more.`,
  );
}

function programDataBytes(so: Uint8Array): number {
  return PROGRAM_DATA_HEADER + so.length * ROOM_FACTOR;
}

/** Lamports as SOL, rounded up to four decimals. */
function inSol(lamports: bigint): string {
  return (Math.ceil(Number(lamports) / 1e5) / 1e4).toFixed(4);
}

async function fillBuffer(cluster: Cluster, program: ProgramToDeploy, buffer: KeyPairSigner): Promise<void> {
  const { payer, so, upgradeAuthority, log } = program;
  if ((await cluster.dataOf(buffer.address)) === undefined) {
    const create = await createAccount(cluster, payer, buffer, BUFFER_HEADER + so.length);
    await cluster.run(payer, [create, initializeBuffer(buffer.address, upgradeAuthority.address)]);
  }
  let failure: string | undefined;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const written = (await cluster.dataOf(buffer.address))?.data.subarray(BUFFER_HEADER) ?? new Uint8Array();
    const missing = missingChunks(so, written);
    if (missing.length === 0) return;
    log?.(`writing ${missing.length} of ${Math.ceil(so.length / WRITE_BYTES)} parts to buffer ${buffer.address}`);
    const writes = missing.map((offset) =>
      write(buffer.address, upgradeAuthority, offset, so.subarray(offset, offset + WRITE_BYTES)),
    );
    failure = await cluster.runAll(payer, writes, WRITES_AT_ONCE);
  }
  throw new DeployError(
    `The program could not be written to its buffer ${buffer.address}${failure === undefined ? '' : `: ${failure}`}. Call again to go on.`,
  );
}

function missingChunks(so: Uint8Array, written: Uint8Array): number[] {
  const missing: number[] = [];
  for (let offset = 0; offset < so.length; offset += WRITE_BYTES) {
    const end = offset + WRITE_BYTES;
    if (Buffer.compare(so.subarray(offset, end), written.subarray(offset, Math.min(end, so.length))) !== 0) {
      missing.push(offset);
    }
  }
  return missing;
}
