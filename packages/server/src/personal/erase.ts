import { isTerminal, operations, RelayError } from '@legwork/protocol/contract';
import type { AppContext } from '../context.js';
import type { Trx } from '../db/connect.js';
import { erasePackage, eraseTask } from './erasure.js';
import { readFinality } from '../db/finality.js';
import { keepCall, type KeptCall, signedCallOf } from '../identity/signedCalls.js';
import { packageSubject, taskSubject } from '../db/subjects.js';
import { inTransaction } from '../db/transaction.js';
import { lockTask } from '../tasks/taskRows.js';
import { lockPackage } from '../packages/packageRows.js';
import type { PackageRow } from '../db/schema.js';
import { requireTask, TASK } from '../tasks/guards.js';
import type { Named } from '../operations/exits.js';
import { requireNotHalted } from '../operations/guards.js';
import { PACKAGE, requirePackage } from '../packages/read.js';
import type { Run } from '../operations/run.js';

export const erasePackageData: Run<typeof operations.erasePackageData> = async (context, input, caller) => {
  const { packageId } = input;
  const call = signedCallOf(caller, operations.erasePackageData, input);
  const erasedAt = await erase(context, call, {
    named: PACKAGE,
    id: packageId,
    subject: packageSubject(packageId),
    read: async (trx) => {
      await lockPackage(trx, packageId);
      const parcel = await requirePackage(trx, packageId);
      return { ...parcel, isOver: isTerminal('package', parcel.status) };
    },
    run: erasePackage,
  });
  return { answer: { packageId, erasedAt } };
};

export const eraseTaskData: Run<typeof operations.eraseTaskData> = async (context, input, caller) => {
  const { taskId } = input;
  const call = signedCallOf(caller, operations.eraseTaskData, input);
  const erasedAt = await erase(context, call, {
    named: TASK,
    id: taskId,
    subject: taskSubject(taskId),
    read: async (trx) => {
      await lockTask(trx, taskId);
      const task = await requireTask(trx, taskId);
      return { ...task, isOver: isTerminal('task', task.status) };
    },
    run: eraseTask,
  });
  return { answer: { taskId, erasedAt } };
};

/** A package or a digital task that is to be erased. */
interface Erasable {
  named: Named;
  id: string;
  subject: string;
  /** Locks the row and reads it. */
  read: (trx: Trx) => Promise<Pick<PackageRow, 'shipper_pubkey' | 'erased_at'> & { status: string; isOver: boolean }>;
  run: typeof erasePackage;
}

/** Erases what its lister signed for, once; the call stays as the proof. Rule S-144. */
function erase({ db, ledger }: AppContext, call: KeptCall, { named, id, subject, read, run }: Erasable): Promise<Date> {
  return inTransaction(db, async (trx) => {
    const { shipper_pubkey: lister, ...row } = await read(trx);
    if (lister !== call.pubkey) {
      throw RelayError.field(
        'pubkey_mismatch',
        named.field,
        `is of ${lister}; only that key has its personal data erased`,
      );
    }
    if (row.erased_at !== null) return row.erased_at;
    if (!row.isOver) throw notOver(named, `it is ${row.status}`);
    await requireNotHalted(trx, named, id, named.field);
    if ((await readFinality(trx, subject, null)) !== 'final') throw notOver(named, 'its end is not final yet');
    await keepCall(trx, call);
    await run(trx, id, { call: call.signature, decisionKey: ledger.decisionKey });
    const { erased_at: at } = await read(trx);
    if (at === null) throw new Error(`${subject} was not erased`);
    return at;
  });
}

function notOver({ field, noun }: Named, why: string): RelayError {
  return RelayError.field(
    'invalid_status',
    field,
    `names a ${noun} whose personal data cannot be erased now: ${why}; call again once it has ended and finality is final`,
  );
}
