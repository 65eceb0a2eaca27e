import { Amount } from '../../ui/Amount.js';
import { Bound } from '../../ui/Bound.js';
import { Facts } from '../../ui/Panel.js';
import type { Read } from './draft.js';

/** What the wallet will sign: the transaction is compared with this, to the lamport and the second. */
export function Summary({ read: { budget, terms } }: { read: Read }) {
  return (
    <>
      <Facts of={[['You lock', <Amount key="budget" lamports={budget} />]]} />
      {terms && <Bound kind="package" by={terms} />}
    </>
  );
}
