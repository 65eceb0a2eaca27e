import { checkAmount, operations } from '@legwork/protocol/contract';
import { formatUnits, isInSol, listDigitalTask, listPackage, openField, SOL } from '@legwork/sdk';
import type { Asset, Lamports, Terms } from '@legwork/sdk';
import { z } from 'zod';
import { rulesFor } from '../../wallet/assetRules.js';
import type { AssetRules } from '../../wallet/assetRules.js';
import { localTool } from '../localTool.js';
import { noLimits } from '../toolResult.js';

/** As the service has it. It is set here so that the service cannot choose how long the escrow is locked. */
const DEADLINE_MS = 72 * 3_600_000;
const OWN_MONEY =
  'with your own money: locks the budget in escrow from your wallet or mandate. Above a limit of your policy a person is asked, else it is refused.';

/** The SDK fills in the fields that the draft leaves out: the same for everybody who posts with money of their own. Rule T-50. */
const usualTerms = (more: string) =>
  operations.buildListTx.body.shape.terms.meta({
    description: `default: standard${more}, if the service has an arbiter: who works stakes, silence ends, disputes are ruled; plain: none`,
  });

// The mandate that pays is a person's to name, in the policy.
const {
  shipperPubkey: _shipper,
  mandateOwnerPubkey: _owner,
  salt: _salt,
  private: _private,
  ...parcel
} = operations.buildListTx.body.shape;
const {
  shipperPubkey: _poster,
  mandateOwnerPubkey: _funder,
  salt: _grain,
  ...goal
} = operations.buildListDigitalTaskTx.body.shape;

export const postPackage = localTool({
  name: 'post_package',
  title: 'Post a package with your own money',
  description:
    `Posts a physical delivery ${OWN_MONEY} (svc_post_task explains the fields, and instead spends the coordinator's money, within its caps.) Next: ` +
    'svc_get_package; when the last courier hands it over, take_or_hand_over.',
  input: z
    .strictObject({ ...parcel, terms: usualTerms(', you sign the pickup too') })
    .superRefine(checkAmount('maxBudget')),
  another: true,
  byHand: ({ originLat, originLng, destLat, destLng, weightKg, volumeLitres, maxBudgetSol = 'AMOUNT', ...of }) =>
    `post package --from ${originLat},${originLng} --to ${destLat},${destLng} --kg ${weightKg} ` +
    `--litres ${volumeLitres} --budget ${maxBudgetSol}${inAsset(of)} --what WHAT`,
  run: async ({ client, signer, assets }, draft) => {
    const payer = payerOf(assets, draft);
    const asked = { ...draft, ...budgetIn(draft), ...payer, deadline: deadlineOf(draft) };
    const listed = await listPackage(client, signer, asked);
    if (listed.open !== null) return { packageId: listed.id, listSignature: listed.signature, ...openField(listed) };
    const { id, status, deadline, maxBudget, onChainPackage, listSignature } = listed;
    const money = { ...inUnits('locked', maxBudget, listed), onChainPackage, listSignature };
    return { packageId: id, status, deadline, ...money, ...payer, ...boundBy(listed) };
  },
});

export const postTask = localTool({
  name: 'post_task',
  title: 'Post a digital task with your own money',
  description:
    `Posts a goal for up to four agents ${OWN_MONEY} (svc_post_digital_task explains the fields, and instead spends the coordinator's.) Without legs the ` +
    'service plans them; the answer has the plan that you signed. Next: svc_get_digital_task.',
  input: z.strictObject({ ...goal, terms: usualTerms('') }).superRefine(checkAmount('maxBudget')),
  another: true,
  byHand: ({ maxBudgetSol = 'AMOUNT', ...of }) =>
    `post task --budget ${maxBudgetSol}${inAsset(of)} --title TITLE --what WHAT`,
  run: async ({ client, signer, assets }, draft) => {
    const payer = payerOf(assets, draft);
    const asked = { ...draft, ...budgetIn(draft), ...payer, deadline: deadlineOf(draft) };
    const listed = await listDigitalTask(client, signer, asked);
    if (listed.open !== null) return { taskId: listed.id, listSignature: listed.signature, ...openField(listed) };
    const { id, status, deadline, maxBudget, paymentPerLeg, onChainTask, listSignature } = listed;
    const legs = listed.legs.map(({ id: legId, instruction }) => ({ legId, instruction }));
    const money = { ...inUnits('locked', maxBudget, listed), ...inUnits('paymentPerLeg', paymentPerLeg, listed) };
    return { taskId: id, status, deadline, ...money, ...payer, ...boundBy(listed), legs, onChainTask, listSignature };
  },
});

interface Asked {
  readonly maxBudgetSol?: number | undefined;
  readonly maxBudget?: string | undefined;
  readonly asset?: string | undefined;
}

const inAsset = ({ asset }: Asked) => (asset === undefined ? '' : ` --asset ${asset}`);

/** The form of the tool lets one amount through. */
const budgetIn = ({ maxBudgetSol, maxBudget, asset }: Asked) =>
  maxBudget === undefined
    ? { maxBudgetSol: maxBudgetSol ?? 0, maxBudget: undefined, asset: undefined }
    : { maxBudget, maxBudgetSol: undefined, ...(asset !== undefined && { asset }) };

/** The owner of the mandate that pays, by the policy; else the wallet does. @throws {RefusedError} when the policy has no limits for the asset */
function payerOf(assets: readonly AssetRules[], { asset = SOL.asset }: Asked): { mandateOwnerPubkey?: string } {
  const of = rulesFor(assets, { asset });
  if (of === undefined) throw noLimits({ asset });
  return of.mandate === undefined ? {} : { mandateOwnerPubkey: of.mandate };
}

/** The terms that bind both sides, in short. */
function boundBy({ terms, ...of }: Asset & { readonly terms: Terms | null }) {
  if (terms === null) return { terms: null };
  const { stake, arbiterPubkey, cosignedPickup } = terms;
  return { terms: { ...inUnits('stake', stake, of), arbiterPubkey, cosignedPickup } };
}

/** An amount as decimal text under a name that says its asset: `lockedSol`, or `locked` beside `asset`. */
function inUnits(name: string, amount: Lamports, of: Asset) {
  const text = formatUnits(amount, of.decimals);
  return isInSol(of) ? { [`${name}Sol`]: text } : { [name]: text, asset: of.asset };
}

function deadlineOf({ deadline }: { readonly deadline?: string | undefined }): string {
  return deadline ?? new Date(Date.now() + DEADLINE_MS).toISOString();
}
