import { TOKEN_ACCOUNT_RENT } from '@legwork/program-client';
import { checkAgainstLedger, formatAmount, formatSol, keysOfDocument, verifyReputationCredential } from '@legwork/sdk';
import { address } from '@solana/kit';
import { z } from 'zod';
import { keyOf } from '../../wallet/assetRules.js';
import type { AssetRules } from '../../wallet/assetRules.js';
import type { Session } from '../../wallet/session.js';
import { readMandate } from '../../wallet/mandate.js';
import { tokensHeld } from '../../wallet/tokensHeld.js';
import { localTool } from '../localTool.js';

/** Rule A-76. */
export const wallet = localTool({
  name: 'wallet',
  title: 'Your wallet and its limits',
  description:
    'Address, balance and limits in SOL and in another asset of the policy, and what is left of them: perTransaction; perDay in any 24 hours; inAll since the key was ' +
    'first used; stakes, which come back, apart. `mandate`: who pays for what you list, and what you pay. Only who runs this bridge changes them.',
  input: z.strictObject({}),
  readOnly: true,
  run: async (session) => {
    const {
      signer,
      rpc,
      policy: { limits },
      assets,
      spending,
      stakes,
    } = session;
    const { value } = await rpc.getBalance(address(signer.address), { commitment: 'confirmed' }).send();
    const left = (limit: bigint, spent: bigint) => formatSol(limit > spent ? limit - spent : 0n);
    const others = await Promise.all(assets.slice(1).map((of) => told(of, session)));
    const [sol] = assets;
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
      ...(sol && (await mandateOf(sol, session))),
      ...(others.length > 0 && { others }),
    };
  },
});

/** Balance and limits in a token, each with its asset. */
async function told(of: AssetRules, session: Session) {
  const { signer, rpc, spending, stakes } = session;
  const key = keyOf(of);
  const said = (amount: bigint) => formatAmount(amount > 0n ? amount : 0n, of);
  const { perTransaction, perDay, inAll } = of.spending;
  return {
    asset: of.asset,
    balance: said(await tokensHeld(rpc, signer.address, of)),
    limits: {
      perTransaction: said(perTransaction),
      perDay: said(perDay),
      inAll: said(inAll),
      stakePerLeg: said(of.stakePerLeg),
      stakeInAll: said(of.stakeInAll),
    },
    left: {
      perDay: said(perDay - spending.ofLastDay(Date.now(), key)),
      inAll: said(inAll - spending.spentIn(key)),
      stakeInAll: said(of.stakeInAll - stakes.lyingIn(key)),
    },
    ...(await mandateOf(of, session)),
  };
}

/** The owner whose mandate pays for listings in an asset, if any, and the rest that the wallet pays. */
async function mandateOf(of: AssetRules, { signer, rpc, config }: Session) {
  const { mandate: owner, token } = of;
  if (owner === undefined) return {};
  const { at, mandate, held, left } = await readMandate(rpc, config.programId, { owner, delegate: signer.address, of });
  if (mandate === undefined)
    return { mandate: { owner, at, none: 'its owner gave it not, or has ended it: nothing can be listed' } };
  const vault =
    token === undefined ? '' : `, and ${formatSol(TOKEN_ACCOUNT_RENT)} SOL of rent for each, which goes there too`;
  return {
    mandate: {
      owner,
      at,
      left: formatAmount(left, of),
      held: formatAmount(held, of),
      pays: 'budget and rents of what you list; what is left returns there',
      youPay: `the fee${vault}`,
    },
  };
}

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
