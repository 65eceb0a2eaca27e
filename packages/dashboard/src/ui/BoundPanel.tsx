import type { Asset, Requirements, Terms } from '@legwork/protocol/contract';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { joinPath, type BoundLeg, type Kind, PARTS, stageWord } from '../data/legWords.js';
import { AgentLink } from './AgentLink.js';
import { Bound } from './Bound.js';
import styles from './Bound.module.css';
import { Key } from './Key.js';
import { Facts, Panel } from './Panel.js';

interface Props {
  readonly kind: Kind;
  /** A package or a task. */
  readonly of: Asset & {
    readonly id: string;
    readonly terms: Terms | null;
    readonly requirements: Requirements | null;
  };
  readonly legs: readonly BoundLeg[];
}

/** What binds both sides, what was claimed and disputed, and what who works must have. */
export function BoundPanel({ kind, of, legs }: Props) {
  const { id, terms, requirements } = of;
  const contested = legs.filter(({ evidenceHash, reasonHash, percent }) => evidenceHash ?? reasonHash ?? percent);
  if (terms === null && requirements === null) return null;
  const claimed = contested.map((leg): readonly [string, ReactNode] => [
    `Leg ${leg.legIndex + 1}`,
    <Claimed key={leg.id} kind={kind} id={id} leg={leg} />,
  ]);
  return (
    <Panel folds={contested.length === 0} title="Stakes and clocks">
      <div className={styles.facts}>
        {terms && <Bound kind={kind} of={of} by={terms} />}
        <Facts of={[...claimed, ...(requirements ? requiredOf(PARTS[kind].worker, requirements) : [])]} />
      </div>
    </Panel>
  );
}

/** What a claim, a dispute and a ruling of a leg rest on. */
function Claimed({ kind, id, leg }: { kind: Kind; id: string; leg: BoundLeg }) {
  const { evidenceHash, reasonHash, disputerPubkey, stage, percent } = leg;
  return (
    <span className={styles.claims}>
      {evidenceHash && (
        <span>
          Evidence <Key value={evidenceHash} />{' '}
          <Link href={joinPath(kind, id, leg.id, { action: 'read' })}>Read it (parties only)</Link>
        </span>
      )}
      {reasonHash && (
        <span>
          Disputed by {disputerPubkey ? <AgentLink pubkey={disputerPubkey} /> : `the ${PARTS[kind].lister}`}, reason{' '}
          <Key value={reasonHash} />
        </span>
      )}
      {stage && percent !== null && <span>{stageWord(stage, percent)}</span>}
    </span>
  );
}

function requiredOf(
  worker: string,
  { minScore, minCompleted, capabilities, blocked }: Requirements,
): (readonly [string, string])[] {
  const said = [
    minScore !== undefined && `a reliability of ${minScore} %`,
    minCompleted !== undefined && `${minCompleted} completed legs`,
    capabilities?.join(', '),
  ].filter(Boolean);
  return [
    ...(said.length > 0 ? [['Bidders need', said.join('; ')] as const] : []),
    ...(blocked ? [['Blocked', `${blocked.length} ${worker}${blocked.length === 1 ? '' : 's'}`] as const] : []),
  ];
}
