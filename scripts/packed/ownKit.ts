// What somebody makes with a kit of their own fits the packages, and what those give fits that kit.
import { confirmLeg, createLegworkClient, formatSol, parseSol } from '@legwork/sdk';
import type { Lamports } from '@legwork/sdk';
import { createSolanaRpc as createOwnRpc } from '@legwork/sdk/kit';
import { createSolanaRpc, generateKeyPairSigner, lamports } from '@solana/kit';
import type { Lamports as KitLamports, Rpc, SolanaRpcApi } from '@solana/kit';

const signer = await generateKeyPairSigner();
const client = createLegworkClient({ url: 'http://127.0.0.1:8080', signer });
const rpc = createSolanaRpc('http://127.0.0.1:8899');
export const confirmed = confirmLeg(client, rpc, signer, '00000000-0000-7000-8000-000000000000');
export const ours: Lamports = lamports(1n);
export const theirs: KitLamports = parseSol(0.1);
export const shown = formatSol((await rpc.getBalance(signer.address).send()).value);
export const same: Rpc<SolanaRpcApi> = createOwnRpc('http://127.0.0.1:8899');
