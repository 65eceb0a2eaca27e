import { cancelDigitalTask, cancelPackage, reclaimDigitalTask, reclaimPackage } from '@legwork/sdk';
import type { Money } from '../../checks/vault.js';
import type { Kind } from '../../data/legWords.js';
import { ledgerRpc } from '../../data/ledger.js';
import { keyOf, queries, useRead } from '../../data/service.js';
import { Told } from '../../wallet/Connect.js';
import form from '../../wallet/form.module.css';
import { actingFor, type Session } from '../../wallet/session.js';
import { useDoing } from '../../wallet/useDoing.js';
import { AskedBack } from '../../wallet/AskedBack.js';
import type { Exit } from './exits.js';
import { amountIn, m, t } from '../../language.js';

interface Props {
  readonly kind: Kind;
  readonly id: string;
  readonly exit: Exit;
  readonly session: Session;
}

const LABELS = { cancel: m('Cancel it'), reclaim: m('Take back what is left') } as const;

const MOVES = {
  package: { cancel: cancelPackage, reclaim: reclaimPackage },
  task: { cancel: cancelDigitalTask, reclaim: reclaimDigitalTask },
} as const;

/** The way out of what somebody posted, with what comes back; or why there is none now. Rule D-94. */
export function ExitStep({ kind, id, exit, session }: Props) {
  const doing = useDoing();
  const isOpen = 'move' in exit;
  const ofPackage = useRead('getPackageMoney', isOpen && kind === 'package' ? { packageId: id } : 'nothing');
  const ofTask = useRead('getTaskMoney', isOpen && kind === 'task' ? { taskId: id } : 'nothing');
  const money = kind === 'package' ? ofPackage.data : ofTask.data;
  if (!isOpen) return <p className={form.hint}>{exit.why}</p>;
  const { move } = exit;
  const leave = async () => {
    const { client, signer } = actingFor(session);
    const { rpc } = await ledgerRpc();
    const { open = null } = await MOVES[kind][move](client, rpc, signer, id);
    await reread();
    return open === null
      ? t('Done. It is on the ledger, and the money is back.')
      : t('Done. It is on the ledger, and the money is back; still open: {what} ({why}).', {
          what: t(open.what),
          why: open.why.message,
        });
  };
  return (
    <>
      <AskedBack
        label={t(LABELS[move])}
        doing={doing}
        question={
          money
            ? questionOf(exit, kind, money)
            : { lacks: t('This page is still reading the escrow. Try again in a moment.') }
        }
        onMake={() => doing.run(t('Waiting for your wallet to sign.'), leave)}
      />
      <Told doing={doing} />
    </>
  );
}

/** What comes back to whom. */
function questionOf(exit: Extract<Exit, { readonly move: unknown }>, kind: Kind, money: Money) {
  const values = { amount: amountIn(money.vault, money), kind };
  return {
    says:
      exit.lostStake > 0n
        ? t(
            '{amount} come back to you from escrow, and so does the stake of the current {kind, select, package {courier} other {agent}}, {stake}. What {kind, select, package {couriers} other {agents}} were paid stays theirs, and the work stops. This cannot be undone.',
            { ...values, stake: amountIn(exit.lostStake, money) },
          )
        : t(
            '{amount} come back to you from escrow. What {kind, select, package {couriers} other {agents}} were paid stays theirs, and the work stops. This cannot be undone.',
            values,
          ),
  };
}

/** Everything that shows it. */
async function reread(): Promise<void> {
  const names = [
    'getPackage',
    'getDigitalTask',
    'getPackageMoney',
    'getTaskMoney',
    'listPackages',
    'listDigitalTasks',
  ] as const;
  await Promise.all(names.map((name) => queries.invalidateQueries({ queryKey: keyOf(name) })));
}
