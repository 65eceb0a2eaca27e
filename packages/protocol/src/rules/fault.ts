/** Why a rule refuses an input. Rules return it instead of throwing, so that the caller chooses the answer's form. */
export interface RuleFault<Code extends string = string> {
  /** Stable, for programs. */
  readonly code: Code;
  /** The wire field at fault. */
  readonly field: string;
  /** The fault and its remedy, for people. */
  readonly message: string;
}
