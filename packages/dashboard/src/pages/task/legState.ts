import type { DigitalLegView } from '@legwork/sdk';
import { stageTitle } from '../../data/legWords.js';
import { t } from '../../language.js';

/** How it stands with a leg: more than its status says. */
export interface LegState {
  readonly look: DigitalLegView['status'];
  readonly word: string;
}

/** @param isOver the task is completed or failed: nothing of it can be claimed any more */
export function legState(
  {
    status,
    isOpen,
    isWorkable,
    agentPubkey,
    stage,
    percent,
  }: Pick<DigitalLegView, 'status' | 'isOpen' | 'isWorkable' | 'agentPubkey' | 'stage' | 'percent'>,
  isOver: boolean,
): LegState {
  const isOnLedger = status === 'completed' || (status === 'in_progress' && !isOver);
  if (isOnLedger && stage !== null) return { look: status, word: stageTitle(stage, percent) };
  if (status === 'completed') return { look: 'completed', word: t('Completed') };
  if (status === 'in_progress') return { look: 'in_progress', word: t('In progress') };
  if (status === 'failed' || isOver) return { look: 'failed', word: t('Not done') };
  if (agentPubkey !== null) return { look: 'pending', word: isWorkable ? t('Being assigned') : t('Reserved') };
  if (isOpen) return { look: 'pending', word: isWorkable ? t('Open') : t('Open to reserve') };
  return { look: 'pending', word: t('Closed to claims') };
}
