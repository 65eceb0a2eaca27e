import { LegworkError } from '@legwork/protocol/contract';

/** A transaction about a listing of ours does not fit what is mirrored. It is judged again once it is final. */
export class MisfitError extends LegworkError {
  constructor(signature: string) {
    super(
      'ledger_unavailable',
      `The ledger does not show yet what came before transaction ${signature}; try again later.`,
    );
  }
}

/** A party's move that is final, does not fit, and comes before what is applied of its listings: they are to be written again. */
export class MisplacedError extends MisfitError {
  constructor(
    signature: string,
    readonly subjects: readonly string[],
  ) {
    super(signature);
  }
}
