import type { Asset, DigitalTaskDetail, Lamports, PackageDetail, Terms } from '@legwork/sdk';
import type { Outcome } from '../../checks/outcome.js';
import type { BoundLeg, Kind } from '../../data/legWords.js';
import { useRead } from '../../data/service.js';

/** A leg with terms that somebody makes a move of. */
export interface Subject {
  readonly kind: Kind;
  /** Of the package or the task. */
  readonly id: string;
  /** What its poster calls it. */
  readonly text: string;
  readonly leg: BoundLeg;
  /** What the leg pays. */
  readonly payment: Lamports;
  /** The stake of each side. */
  readonly stake: Lamports;
  readonly terms: Terms;
  /** What it pays in. */
  readonly of: Asset;
  /** Compares the terms that are shown with those of the ledger. */
  readonly check: () => Promise<Outcome>;
}

/** A leg as the service shows it, kept current. @param id of the package or the task; null: none is asked for */
export function useSubject(kind: Kind, id: string | null, legId: string | null) {
  const parcel = useRead('getPackage', kind === 'package' && id ? { packageId: id } : 'nothing');
  const task = useRead('getDigitalTask', kind === 'task' && id ? { taskId: id } : 'nothing');
  const { error, failureReason, refetch } = kind === 'package' ? parcel : task;
  const data = (parcel.data && ofPackage(parcel.data, legId)) ?? (task.data && ofTask(task.data, legId));
  return { data, error, failureReason, refetch };
}

function ofPackage(parcel: PackageDetail, legId: string | null): Subject | undefined {
  const leg = parcel.swarm?.legs.find(({ id }) => id === legId);
  const { id, description: text, terms } = parcel;
  const check = async () => (await import('../../data/termsOnLedger.js')).packageOnLedger(parcel);
  if (!leg || !terms) return undefined;
  const { agreedPayment: payment } = leg;
  return { kind: 'package', id, text, leg, payment, stake: terms.stake, terms, of: parcel, check };
}

function ofTask(task: DigitalTaskDetail, legId: string | null): Subject | undefined {
  const leg = task.legs.find((one) => one.id === legId);
  const { id, title: text, terms, paymentPerLeg: payment } = task;
  if (!leg || !terms) return undefined;
  const check = async () => (await import('../../data/termsOnLedger.js')).taskOnLedger(task);
  return { kind: 'task', id, text, leg, payment, stake: terms.stake, terms, of: task, check };
}
