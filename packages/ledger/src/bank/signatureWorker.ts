// The thread that checks signatures. It gets the bytes of transactions, one after the other, with where each ends; it answers
// with a byte for each, 1 when its signatures are right.
import { parentPort } from 'node:worker_threads';
import { SignatureProof } from './signatureProof.js';

export type ToCheck = { readonly bytes: Uint8Array; readonly ends: Uint32Array };

const proof = new SignatureProof();

parentPort?.on('message', ({ bytes, ends }: ToCheck) => {
  const verdicts = ends.map((end, index) => Number(proof.judge(bytes.subarray(ends[index - 1] ?? 0, end))));
  parentPort?.postMessage(Uint8Array.from(verdicts));
});
