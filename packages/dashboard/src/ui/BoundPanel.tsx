import type { Asset, Requirements, Terms } from '@legwork/protocol/contract';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { joinPath, type BoundLeg, type Kind, stageWord } from '../data/legWords.js';
import { AgentLink } from './AgentLink.js';
import { Bound } from './Bound.js';
import styles from './Bound.module.css';
import { Key } from './Key.js';
import { Facts, Panel } from './Panel.js';
import { rich, t } from '../language.js';

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
    t('Leg {number}', { number: leg.legIndex + 1 }),
    <Claimed key={leg.id} kind={kind} id={id} leg={leg} />,
  ]);
  return (
    <Panel folds={contested.length === 0} title={t('Stakes and clocks')}>
      <div className={styles.facts}>
        {terms && <Bound kind={kind} of={of} by={terms} />}
        <Facts of={[...claimed, ...(requirements ? requiredOf(kind, requirements) : [])]} />
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
          {rich('Evidence {hash} <read>Read it (parties only)</read>', {
            hash: <Key value={evidenceHash} />,
            read: (inside) => <Link href={joinPath(kind, id, leg.id, { action: 'read' })}>{inside}</Link>,
          })}
        </span>
      )}
      {reasonHash && (
        <span>
          {disputerPubkey
            ? rich('Disputed by {who}, reason {hash}', {
                who: <AgentLink pubkey={disputerPubkey} />,
                hash: <Key value={reasonHash} />,
              })
            : rich('Disputed by the {kind, select, package {shipper} other {poster}}, reason {hash}', {
                kind,
                hash: <Key value={reasonHash} />,
              })}
        </span>
      )}
      {stage && percent !== null && <span>{stageWord(stage, percent)}</span>}
    </span>
  );
}

function requiredOf(
  kind: Kind,
  { minScore, minCompleted, capabilities, blocked }: Requirements,
): (readonly [string, string])[] {
  const said = [
    minScore !== undefined && t('a reliability of {score} %', { score: minScore }),
    minCompleted !== undefined && t('{count} completed legs', { count: minCompleted }),
    capabilities?.join(', '),
  ].filter(Boolean);
  return [
    ...(said.length > 0 ? [[t('Bidders need'), said.join('; ')] as const] : []),
    ...(blocked ? [[t('Blocked'), countOf(kind, blocked.length)] as const] : []),
  ];
}

const countOf = (kind: Kind, count: number): string =>
  kind === 'package'
    ? t('{count, plural, one {# courier} other {# couriers}}', { count })
    : t('{count, plural, one {# agent} other {# agents}}', { count });
