import type { Requirements, Terms } from '@legwork/protocol/contract';
import type { Leg, PackageDetail } from '@legwork/sdk';
import type { ReactNode } from 'react';
import { stageWord } from '../../data/legWords.js';
import { useNames } from '../../data/names.js';
import { useRead } from '../../data/service.js';
import { AgentLink } from '../../ui/AgentLink.js';
import { Amount } from '../../ui/Amount.js';
import { Key } from '../../ui/Key.js';
import { Facts, Panel } from '../../ui/Panel.js';
import { spanOf } from '../../ui/Time.js';
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

function Bound({ by }: { by: Terms }) {
  const names = useNames();
  const { receiverPubkey, arbiterPubkey } = by;
  const key = (pubkey: string) => <Key value={pubkey} page="agent" name={names.get(pubkey)} />;
  return (
    <Facts
      of={[
        ['Stake', <Stake key="stake" lamports={by.stakeLamports} />],
        ['To accept', `${spanOf(by.handoffSec)}, also to take over where the courier before claims to be there`],
        ['To carry', `${spanOf(by.carrySec)} to pick up, and as long to hand over or claim; else the stake is lost`],
        ['To contradict', `${spanOf(by.reviewSec)} after a claim; else it is paid`],
        ...(by.cosignedPickup ? [['First pickup', 'The shipper signs it too'] as const] : []),
        ...(receiverPubkey ? [['Receiver', key(receiverPubkey)] as const] : []),
        ['Arbiter', key(arbiterPubkey)],
        ['Rules within', `${spanOf(by.arbitrationSec)}; else the leg pays half`],
        ['Its record', <Record key="record" arbiterPubkey={arbiterPubkey} />],
      ]}
    />
  );
}

function Stake({ lamports }: { lamports: bigint }) {
  return (
    <>
      <Amount lamports={lamports} />, by each courier that accepts, and by who disputes its claim
    </>
  );
}

/** What an arbiter has ruled so far, in a sentence. */
function Record({ arbiterPubkey }: { arbiterPubkey: string }): ReactNode {
  const { data, error } = useRead('getArbiter', { arbiterPubkey });
  if (data === undefined) return error ? 'could not be read' : '…';
  const { ruled, silent, open, meanPercent } = data;
  if (ruled + silent + open === 0) return 'No dispute so far';
  const left = meanPercent === null ? '' : `, leaving couriers ${Math.round(meanPercent)} % on average`;
  return `Ruled ${ruled}${left}; silent in ${silent}, open ${open}`;
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
