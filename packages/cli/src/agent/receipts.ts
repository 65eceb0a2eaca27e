import { writeFile } from 'node:fs/promises';
import { type Receipt, type VerifiedReceipts, verifyReceipts } from '@legwork/sdk';
import { createSolanaRpc } from '@solana/kit';
import { messageOf, UsageError, UserError } from '../screen.js';
import type { Agent } from './agent.js';
import { kindOf } from './exits.js';
import { textIn } from './moves.js';
import { type Shown, table } from './output.js';

interface ReceiptsInput {
  /** Id of a package or a task, or a file with a chain. */
  readonly of: string;
  readonly rpc?: string;
  readonly out?: string;
  readonly offline?: true;
}

const ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/iu;

/** The holders of a parcel or a result, and from when, checked here: the service or a file is only the source. Rule A-125. */
export async function receipts(agent: Agent, { of, rpc, out, offline }: ReceiptsInput): Promise<Shown> {
  const isId = ID.test(of);
  if (isId && offline)
    throw new UsageError('--offline is for a file: without a network there is nobody to ask for it.');
  const chain = isId ? await chainOf(agent, of.toLowerCase()) : await chainIn(of);
  if (isId && chain.length === 0) return { data: { receipts: chain }, text: 'Nothing of it has changed hands yet.' };
  const url = rpc ?? (offline ? undefined : (await agent.client.getConfig()).rpcUrl);
  const custody = await verifyReceipts(chain, { ...(url !== undefined && { rpc: createSolanaRpc(url) }) });
  if (out !== undefined) await save(out, chain);
  const saved =
    out === undefined
      ? []
      : [`The receipts are in ${out}: anybody who has the file can check them, without the service.`];
  return {
    data: { ledger: url ?? null, receipts: chain, ...custody },
    text: [...lines(chain, custody), ...saved].join('\n'),
  };
}

async function chainOf({ client }: Agent, id: string): Promise<readonly Receipt[]> {
  return (await kindOf({ client }, id)) === 'task'
    ? (await client.getTaskReceipts({ taskId: id })).receipts
    : (await client.getPackageReceipts({ packageId: id })).receipts;
}

/** @throws {UsageError} when the file holds something else; what a receipt in it is worth is checked later */
async function chainIn(file: string): Promise<readonly Receipt[]> {
  const text = await textIn(file);
  try {
    const json: unknown = JSON.parse(text);
    const chain = Array.isArray(json) ? json : (json as { receipts?: unknown } | null)?.receipts;
    if (Array.isArray(chain)) return chain;
  } catch {
    // Said below, as of every other file that holds no receipts.
  }
  throw new UsageError(`${file} holds no receipts: it must be a list of them in JSON, as --out writes it.`);
}

/** @throws {UserError} when the file is there already, or cannot be written */
async function save(file: string, chain: readonly Receipt[]): Promise<void> {
  await writeFile(file, `${JSON.stringify(chain, null, 2)}\n`, { flag: 'wx' }).catch((error: unknown) => {
    throw new UserError(`The receipts were not written to ${file}: ${messageOf(error)}`);
  });
}

function lines(chain: readonly Receipt[], { holders, holder, isEnded, firstNoted, unproven, paid }: VerifiedReceipts) {
  const rows = chain.map(({ at, to, said, condition, signed }, place) => {
    const proofs = [...(signed ? ['signature'] : []), ...(paid.includes(place) ? ['ledger'] : [])];
    return [at, to, said, condition, proofs.join(', ') || 'nothing'];
  });
  const noted = firstNoted
    ? `Something was first noted by ${firstNoted.by}, of what ${firstNoted.heldBy} had until then: sha256 ${firstNoted.hash}`
    : 'Nothing was noted of it.';
  const open = unproven.length === 0 ? [] : ['What is not proven is only the word of whoever made these receipts.'];
  return [
    `Receipts of ${chain[0]?.listing}, sent by ${holders[0]?.holder}`,
    table(['since', 'holder', 'said', 'condition', 'proven by'], rows, ''),
    noted,
    `${holder} has it now${isEnded ? ', where it was to go.' : ', under way.'}`,
    ...open,
  ];
}
