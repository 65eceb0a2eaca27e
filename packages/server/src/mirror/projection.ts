import type { RelayInstruction } from '@legwork/program-client';

/**
 * What an instruction was to the mirror: `projected` changed it, `known` is what it has already or does not keep, `foreign`
 * is of something, or of terms, a formation or an assignment, that this service did not make.
 */
export type Projection = 'projected' | 'known' | 'foreign';

/** The instruction with this name. */
export type Named<Name extends RelayInstruction['name']> = Extract<RelayInstruction, { name: Name }>;

/** An instruction in the transaction that it came with. */
export interface Landed {
  signature: string;
  /** All of the program's instructions in it, in the order they ran. */
  instructions: readonly RelayInstruction[];
}

/** The outcome for an instruction that the mirror has already unless it changed something. */
export const changed = (done: boolean): Projection => (done ? 'projected' : 'known');
