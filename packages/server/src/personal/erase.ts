import type { ListingRow } from '../db/listings.js';
import { isTerminal, operations, LegworkError } from '@legwork/protocol/contract';
import type { AppContext } from '../context.js';
import type { Trx } from '../db/connect.js';
import { readFinality } from '../db/finality.js';
import { inTransaction } from '../db/transaction.js';
import { keepCall, type KeptCall, signedCallOf } from '../identity/signedCalls.js';
import { type Kind, listed, type Named, PACKAGE, TASK } from '../listings/kinds.js';
import { requireNotHalted } from '../operations/guards.js';
import type { Caller, In, Out } from '../operations/run.js';

export async function erasePackageData(
  context: AppContext,
  input: In<'erasePackageData'>,
  caller: Caller,
): Out<'erasePackageData'> {
  const { packageId } = input;
  const call = signedCallOf(caller, operations.erasePackageData, input);
  return { answer: { packageId, erasedAt: await erase(context, call, PACKAGE, packageId) } };
}

export async function eraseTaskData(
  context: AppContext,
  input: In<'eraseTaskData'>,
  caller: Caller,
): Out<'eraseTaskData'> {
  const { taskId } = input;
  const call = signedCallOf(caller, operations.eraseTaskData, input);
  return { answer: { taskId, erasedAt: await erase(context, call, TASK, taskId) } };
}

/** Erases what its lister signed for, once; the call stays as the proof. Rule S-144. */
function erase<Draft extends ListingRow, Row extends Draft>(
  { db, ledger }: AppContext,
  call: KeptCall,
  kind: Kind<Draft, Row>,
  id: string,
): Promise<Date> {
  const read = async (trx: Trx) => listed(kind, await kind.lock(trx, id));
  return inTransaction(db, async (trx) => {
    const { shipper_pubkey: lister, ...row } = await read(trx);
    if (lister !== call.pubkey) {
      throw LegworkError.field(
        'pubkey_mismatch',
        kind.field,
        `is of ${lister}; only that key has its personal data erased`,
      );
    }
    if (row.erased_at !== null) return row.erased_at;
    if (!isTerminal(kind.noun, row.status)) throw notOver(kind, `it is ${row.status}`);
    await requireNotHalted(trx, kind, id, kind.field);
    if ((await readFinality(trx, kind.subject(id), null)) !== 'final') throw notOver(kind, 'its end is not final yet');
    await keepCall(trx, call);
    await kind.erase(trx, id, { call: call.signature, decisionKey: ledger.decisionKey });
    const { erased_at: at } = await read(trx);
    if (at === null) throw new Error(`${kind.subject(id)} was not erased`);
    return at;
  });
}

function notOver({ field, noun }: Named, why: string): LegworkError {
  return LegworkError.field(
    'invalid_status',
    field,
    `names a ${noun} whose personal data cannot be erased now: ${why}; call again once it has ended and finality is final`,
  );
}
