import { legShare } from '@legwork/protocol/rules';
import { Amount } from '../../ui/Amount.js';
import { Bound } from '../../ui/Bound.js';
import { Facts } from '../../ui/Panel.js';
import type { Read, Typed } from './draft.js';

/** What the wallet will sign: the transaction is compared with this, to the lamport and the second. */
export function Summary({ typed: { kind, legs }, read: { budget, terms } }: { typed: Typed; read: Read }) {
  const share = <Amount key="share" lamports={legShare(budget, legs.length)} />;
  return (
    <>
      <Facts
        of={[
          ['You lock', <Amount key="budget" lamports={budget} />],
          ...(kind === 'task' ? [['Each leg pays', share] as const] : []),
        ]}
      />
      {terms && <Bound kind={kind} by={terms} />}
    </>
  );
}
