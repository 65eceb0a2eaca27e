import { noLimitsFor, rulesFor, type Session } from '@legwork/agents';
import { type Asset, type Lamports, type PaidIn, paidIn, parseAmount, serviceConfig } from '@legwork/sdk';
import { messageOf, UsageError, UserError } from '../screen.js';
import type { Agent } from './agent.js';

/** The asset that the service means by a name. @throws UsageError when it lists nothing in it */
export async function paidInNamed({ client }: Pick<Agent, 'client'>, name: string): Promise<PaidIn> {
  const config = await serviceConfig(client);
  return paidIn(config, name).catch((error: unknown) => {
    throw error instanceof RangeError ? new UsageError(`${messageOf(error)}.`) : error;
  });
}

/** Base units of an amount that was typed in whole ones. @throws UsageError when the asset has not so many decimals */
export function unitsOf(amount: number, of: Asset): Lamports {
  // A number that is shown with an exponent has more decimals than any asset.
  const text = String(amount).includes('e') ? amount.toFixed(12) : String(amount);
  try {
    return parseAmount(text, of);
  } catch (error) {
    throw new UsageError(`${messageOf(error)}.`);
  }
}

/** @throws UserError when the policy has no limits for what a listing pays in */
export function requireLimits({ assets }: Pick<Session, 'assets'>, of: Pick<Asset, 'asset'>): void {
  if (rulesFor(assets, of) === undefined) throw new UserError(`Nothing was signed: ${noLimitsFor(of)}.`);
}
