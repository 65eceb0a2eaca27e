import type { Requirements } from '@legwork/protocol/contract';
import type { Leg, PackageDetail } from '@legwork/sdk';
import type { ReactNode } from 'react';
import { stageWord } from '../../data/legWords.js';
import { AgentLink } from '../../ui/AgentLink.js';
import { Bound } from '../../ui/Bound.js';
import { Key } from '../../ui/Key.js';
import { Facts, Panel } from '../../ui/Panel.js';
import styles from './Package.module.css';

/** What binds shipper and couriers, what was claimed and disputed, and what couriers must have. */
export function BoundPanel({ parcel: { terms, requirements, swarm } }: { parcel: PackageDetail }) {
  const contested = (swarm?.legs ?? []).filter(
    ({ evidenceHash, reasonHash, percent }) => evidenceHash ?? reasonHash ?? percent,
  );
  if (terms === null && requirements === null) return null;
  return (
    <Panel title="Stakes and clocks">
      <div className={styles.facts}>
        {terms && <Bound by={terms} />}
        <Facts of={[...contested.map(claimOf), ...(requirements ? requiredOf(requirements) : [])]} />
      </div>
    </Panel>
  );
}

/** What a claim, a dispute and a ruling of a leg rest on. */
function claimOf(leg: Leg): readonly [string, ReactNode] {
  const { legIndex, evidenceHash, reasonHash, disputerPubkey, stage, percent } = leg;
  return [
    `Leg ${legIndex + 1}`,
    <span key={leg.id} className={styles.claims}>
      {evidenceHash && (
        <span>
          Evidence <Key value={evidenceHash} />
        </span>
      )}
      {reasonHash && (
        <span>
          Disputed by {disputerPubkey ? <AgentLink pubkey={disputerPubkey} /> : 'the shipper'}, reason{' '}
          <Key value={reasonHash} />
        </span>
      )}
      {stage && percent !== null && <span>{stageWord(stage, percent)}</span>}
    </span>,
  ];
}

function requiredOf({ minScore, minCompleted, capabilities, blocked }: Requirements): (readonly [string, string])[] {
  const said = [
    minScore !== undefined && `a reliability of ${minScore} %`,
    minCompleted !== undefined && `${minCompleted} completed legs`,
    capabilities && capabilities.join(', '),
  ].filter(Boolean);
  return [
    ...(said.length > 0 ? [['Couriers need', said.join('; ')] as const] : []),
    ...(blocked ? [['Not taken', `${blocked.length} ${blocked.length === 1 ? 'courier' : 'couriers'}`] as const] : []),
  ];
}
