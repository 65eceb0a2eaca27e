import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { checkClaims, type Finding } from '@legwork/audit';
import { isAddress } from '@solana/kit';
import { printDone, UserError } from '../screen.js';

export interface VerifyOptions {
  readonly csv: string;
  readonly rpcUrl: string;
  readonly programId: string;
  readonly sha256?: string;
  readonly json: boolean;
}

const DIFFERENT = 1;

/**
 * Compares an export with the ledger, and with the sha256 that it should have.
 *
 * @returns the exit code
 * @throws UserError, and what prevented the comparison
 */
export async function verifyClaims({ csv: file, rpcUrl, programId, sha256, json }: VerifyOptions): Promise<number> {
  if (!URL.canParse(rpcUrl)) throw new UserError(`"${rpcUrl}" is not the address of a ledger's JSON-RPC.`);
  if (!isAddress(programId)) throw new UserError(`"${programId}" is not the base58 address of a program.`);
  const bytes = await readFile(file);
  const found = await checkClaims({ csv: readText(bytes), rpcUrl, programId });
  const line = ({ subject, text }: Finding) => `${subject}: ${text}`;
  const differences = [...differencesOfFile(bytes, sha256), ...found.differences.map(line)];
  const notes = found.notes.map((note) => `note: ${line(note)}`);
  const count = differences.length === 1 ? '1 difference' : `${differences.length || 'no'} differences`;
  const compared = `${found.claims} claims compared with ${found.transactions} transactions`;
  const { claims, transactions } = found;
  const text = [...notes, ...differences, `${count}: ${compared}`, ''].join('\n');
  await printDone(json, { differences, notes: found.notes.map(line), claims, transactions }, text);
  return differences.length === 0 ? 0 : DIFFERENT;
}

function differencesOfFile(bytes: Buffer, expected: string | undefined): string[] {
  const actual = createHash('sha256').update(bytes).digest('hex');
  if (expected === undefined || expected.toLowerCase() === actual) return [];
  return [`file: sha256 is ${actual}, not ${expected}: it is not the export`];
}

function readText(bytes: Buffer): string {
  try {
    // An export has no byte order mark.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UserError('The file is not text in UTF-8.');
  }
}
