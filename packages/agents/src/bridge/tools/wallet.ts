import { checkAgainstLedger, formatSol, keysOfDocument, verifyReputationCredential } from '@legwork/sdk';
import { address } from '@solana/kit';
import { z } from 'zod';
import { localTool } from '../localTool.js';

/** Rule A-76. */
export const wallet = localTool({
  name: 'wallet',
  title: 'Your wallet and its limits',
  description:
    'Address, balance and limits in SOL, and what is left of them: perTransaction; perDay in any 24 hours; inAll since the key was ' +
    'first used; stakes, which come back, apart. Only who runs this bridge changes them.',
  input: z.strictObject({}),
  readOnly: true,
  run: async ({ signer, rpc, policy: { limits }, spending, stakes }) => {
    const { value } = await rpc.getBalance(address(signer.address), { commitment: 'confirmed' }).send();
    const left = (limit: bigint, spent: bigint) => formatSol(limit > spent ? limit - spent : 0n);
    return {
      address: signer.address,
      balanceSol: formatSol(value),
      limitsSol: {
        perTransaction: formatSol(limits.perTransaction),
        perDay: formatSol(limits.perDay),
        inAll: formatSol(limits.inAll),
        stakePerLeg: formatSol(limits.stakePerLeg),
        stakeInAll: formatSol(limits.stakeInAll),
      },
      leftSol: {
        perDay: left(limits.perDay, spending.ofLastDay(Date.now())),
        inAll: left(limits.inAll, spending.inAll),
        stakeInAll: left(limits.stakeInAll, stakes.inAll),
      },
    };
  },
});

export const myCredential = localTool({
  name: 'my_credential',
  title: 'Your reputation as a credential',
  description:
    'Your reputation as a JWT that others verify without this service, checked here: its signature against the ' +
    "coordinator's keys, its figures against the ledger.",
  input: z.strictObject({}),
  readOnly: true,
  run: async ({ client, rpc, config, signer }) => {
    const [{ jwt }, document] = await Promise.all([
      client.getReputationCredential({ pubkey: signer.address }),
      client.getDid({ pubkey: 'coordinator' }),
    ]);
    const checked = verifyReputationCredential(jwt, { issuerPubkeys: keysOfDocument(document) });
    if (!checked.valid) return { jwt, valid: false, why: checked };
    const { status } = await checkAgainstLedger(rpc, config.programId, checked.payload);
    return { jwt, valid: true, ledger: status, figures: checked.payload.vc.credentialSubject };
  },
});
