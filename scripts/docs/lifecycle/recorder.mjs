// Listens in on what agents do: requests to the service, transactions to the ledger, and what the ledger shows of them.
import { decodeRelayInstruction } from '@legwork/program-client';
import { AccountRole, createDefaultRpcTransport, createSolanaRpcFromTransport, getBase58Encoder } from '@solana/kit';

/** Routes are told with the names of the things, not with this run's ids. */
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** `fetch` for one agent, which notes each changing request with its answer in `calls`. */
export function recordingFetch(actor, calls) {
  return async (input, init) => {
    const response = await fetch(input, init);
    const method = init?.method ?? 'GET';
    const path = new URL(input).pathname.replace(UUID, '…');
    if (method !== 'GET') calls.push({ actor, method, path, status: response.status });
    return response;
  };
}

/** The ledger for one agent; each transaction it sends itself is noted in `sent` once, however often it is repeated. */
export function recordingRpc(url, actor, sent) {
  const transport = createDefaultRpcTransport({ url });
  return createSolanaRpcFromTransport(async (request) => {
    const response = await transport(request);
    if (request.payload.method === 'sendTransaction' && response.result !== undefined) sent.set(response.result, actor);
    return response;
  });
}

/** A transaction as the ledger shows it: the program's instructions, its signers and fee payer, the changed balances. */
export async function readTransaction(rpc, programId, signature) {
  const options = { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 0 };
  const { transaction, meta } = await rpc.getTransaction(signature, options).send();
  const { accountKeys, header, instructions } = transaction.message;
  const names = instructions
    .filter(({ programIdIndex }) => accountKeys[programIdIndex] === programId)
    .map(({ accounts, data }) => {
      const metas = accounts.map((index) => ({ address: accountKeys[index], role: AccountRole.READONLY }));
      const encoded = getBase58Encoder().encode(data);
      return decodeRelayInstruction(programId, { programAddress: programId, accounts: metas, data: encoded }).name;
    });
  const changes = new Map(accountKeys.map((key, index) => [key, meta.postBalances[index] - meta.preBalances[index]]));
  return { signature, names, signers: accountKeys.slice(0, header.numRequiredSignatures), fee: meta.fee, changes };
}
