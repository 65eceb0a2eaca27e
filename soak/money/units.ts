import { asked, parseSol } from '@legwork/sdk';

/** The asset that a listing pays in. */
export type Unit = 'sol' | 'usdc';

/** The soak draws amounts in SOL; in the token they are as many base units as that are lamports. */
const unitsOf = (sol: number) => String(parseSol(sol));

export const budgetIn = (asset: Unit, sol: number) =>
  asset === 'sol' ? { maxBudgetSol: sol } : { maxBudget: unitsOf(sol), asset };

export const costIn = (asset: Unit, sol: number) => asked('cost', parseSol(sol), { asset });

export const bidIn = (asset: Unit, sol: number) => asked('bid', parseSol(sol), { asset });

export const stakeIn = (asset: Unit, sol: number) => (asset === 'sol' ? { stakeSol: sol } : { stake: unitsOf(sol) });
