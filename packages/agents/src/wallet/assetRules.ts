import { decodeAsset } from '@legwork/program-client';
import { formatAmount, isInSol, paidIn, parseAmount, SOL, TransactionRefusedError } from '@legwork/sdk';
import type { Asset, Lamports, PaidToken, ServiceConfig } from '@legwork/sdk';
import { fetchEncodedAccount } from '@solana/kit';
import type { GetAccountInfoApi, Rpc } from '@solana/kit';
import type { Policy } from '../policy/policy.js';
import { PolicyError } from '../policy/readPolicy.js';
import type { SpendingLimits } from './spending.js';

/** The limits of a policy in one asset; amounts in its base units, and never converted. */
export interface AssetRules extends Asset {
  /** Undefined: SOL. */
  readonly token: PaidToken | undefined;
  /** The section of the policy that says it. */
  readonly section: 'limits' | 'asset';
  /** The most that transactions may lock, and of SOL also their cost. */
  readonly spending: SpendingLimits;
  readonly stakePerLeg: bigint;
  readonly stakeInAll: bigint;
  /** The owner of the mandate that pays for listings in it; undefined: the wallet. */
  readonly mandate: string | undefined;
  /** Work that pays less is left alone; undefined: all work in it is. */
  readonly minPayment: bigint | undefined;
  /** A courier's price; undefined: it carries for none. */
  readonly price: { readonly base: bigint; readonly perKm: bigint; readonly perHour: bigint } | undefined;
  /** By how many percent a model may lower or raise that price. */
  readonly margin: number;
}

/** A journal's name for an asset: a token by its mint, which nobody can give to another one. */
export const keyOf = ({ token }: Pick<AssetRules, 'token'>): string => token?.mint ?? SOL.asset;

/** A limit of the policy by its name, with its amount. */
export const limitWords = (of: Pick<AssetRules, 'section'> & Asset, name: string, amount: bigint): string =>
  `${of.section}.${name} is ${formatAmount(amount, of)}`;

export function solRules({ limits, courier }: Pick<Policy, 'limits' | 'courier'>): AssetRules {
  const { minPayment, stakePerLeg, stakeInAll, mandate } = limits;
  const section = 'limits';
  const { price, margin } = { price: courier?.price, margin: courier?.price.margin ?? 0 };
  const spending = limits;
  return { ...SOL, token: undefined, section, spending, stakePerLeg, stakeInAll, mandate, minPayment, price, margin };
}

/**
 * The limits of a policy, SOL first. Which token its other asset is, and how many decimals that has, the ledger says. Rule A-150.
 *
 * @throws {PolicyError} when the service lists nothing in it, or an amount has more decimals than it has
 * @throws {TransactionRefusedError} when service and ledger mean different tokens by it
 */
export async function assetRules(
  policy: Policy,
  config: ServiceConfig,
  rpc: Rpc<GetAccountInfoApi>,
): Promise<readonly AssetRules[]> {
  const { asset: given } = policy;
  if (given === undefined) return [solRules(policy)];
  const { token, asset, decimals } = await paidIn(config, given.name).catch((error: unknown) => {
    throw error instanceof RangeError ? new PolicyError(`asset.name: ${error.message}`) : error;
  });
  if (token === undefined) throw new PolicyError('asset.name: sol is what limits says already; name another asset');
  await requireOnLedger(rpc, token, decimals);
  const units = (name: string, value: number): Lamports => {
    try {
      return parseAmount(String(value), { asset, decimals });
    } catch (error) {
      throw error instanceof Error ? new PolicyError(`asset.${name}: ${error.message}`) : error;
    }
  };
  const of = (name: 'perTransaction' | 'perDay' | 'inAll' | 'stakePerLeg' | 'stakeInAll') => units(name, given[name]);
  const { price, minPayment, mandate } = given;
  return [
    solRules(policy),
    {
      asset,
      decimals,
      token,
      section: 'asset',
      spending: { perTransaction: of('perTransaction'), perDay: of('perDay'), inAll: of('inAll') },
      stakePerLeg: of('stakePerLeg'),
      stakeInAll: of('stakeInAll'),
      mandate,
      // A model is asked about prices in SOL alone.
      margin: 0,
      minPayment: minPayment === undefined ? undefined : units('minPayment', minPayment),
      price: price && {
        base: units('price.base', price.base),
        perKm: units('price.perKm', price.perKm),
        perHour: units('price.perHour', price.perHour),
      },
    },
  ];
}

/** A service that told other decimals would make a limit mean more than it says. */
async function requireOnLedger(rpc: Rpc<GetAccountInfoApi>, token: PaidToken, decimals: number): Promise<void> {
  const account = await fetchEncodedAccount(rpc, token.account, { commitment: 'confirmed' });
  const found = account.exists ? decodeAsset(account).data : undefined;
  if (found?.mint === token.mint && found.decimals === decimals) return;
  throw new TransactionRefusedError(
    `the service says that asset ${token.number} is ${token.mint} with ${decimals} decimals, and the ledger does not`,
  );
}

/** The rules for the asset of a listing, or undefined if the policy names none. */
export function rulesFor(assets: readonly AssetRules[], of: Pick<Asset, 'asset'>): AssetRules | undefined {
  return assets.find((one) => one.asset === of.asset || (!isInSol(of) && one.token?.mint === of.asset));
}

/** Why no work is done for an asset that the policy names for something else. */
export const noPaymentIn = ({ asset }: Asset): string =>
  `it pays in ${asset}, and the policy does not say by asset.minPayment for how much it works`;

/** Why nothing is done in an asset that the policy does not name. */
export const noLimitsFor = ({ asset }: Pick<Asset, 'asset'>): string =>
  `it pays in ${asset}, for which the policy has no limits: asset.name would have to be ${asset}`;
