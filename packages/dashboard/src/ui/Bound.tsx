import type { Terms } from '@legwork/protocol/contract';
import type { Asset, Lamports } from '@legwork/sdk';
import type { ReactNode } from 'react';
import { type Kind, PARTS } from '../data/legWords.js';
import { useNames } from '../data/names.js';
import { useRead } from '../data/service.js';
import { Amount } from './Amount.js';
import { Key } from './Key.js';
import { Facts } from './Panel.js';
import { spanOf } from './spanOf.js';

/** What binds both sides, in a row each. */
export function Bound({ kind, of, by }: { kind: Kind; of: Asset; by: Terms }) {
  const names = useNames();
  const { receiverPubkey, arbiterPubkey } = by;
  const key = (pubkey: string) => <Key value={pubkey} page="agent" name={names.get(pubkey)} />;
  return (
    <Facts
      of={[
        ['Stake', <Stake key="stake" worker={PARTS[kind].worker} of={of} amount={by.stake} />],
        ...(kind === 'package' ? carrying(by) : working(by)),
        ['To dispute', `${spanOf(by.reviewSec)} after a claim; else it is paid`],
        ...(by.cosignedPickup ? [['First pickup', 'The shipper signs it too'] as const] : []),
        ...(receiverPubkey ? [['Receiver', key(receiverPubkey)] as const] : []),
        ['Arbiter', key(arbiterPubkey)],
        ['Rules within', `${spanOf(by.arbitrationSec)}; else the leg pays half`],
        ["Arbiter's record", <Record key="record" arbiterPubkey={arbiterPubkey} />],
      ]}
    />
  );
}

type Rows = readonly (readonly [term: string, means: string])[];

const carrying = ({ handoffSec, carrySec }: Terms): Rows => [
  ['To accept', `${spanOf(handoffSec)}; the same to take over once the previous courier claims arrival`],
  ['To carry', `${spanOf(carrySec)} to pick up, and as long again to hand over or claim; else the stake is lost`],
];

const working = ({ handoffSec, carrySec }: Terms): Rows => [
  ['To accept', spanOf(handoffSec)],
  ['To hand in', `${spanOf(carrySec)} after that; else the stake is lost`],
];

function Stake({ worker, of, amount }: { worker: string; of: Asset; amount: Lamports }) {
  return (
    <>
      <Amount of={of} amount={amount} />, by each {worker} that accepts, and by who disputes its claim
    </>
  );
}

/** What an arbiter has ruled so far, in a sentence. */
function Record({ arbiterPubkey }: { arbiterPubkey: string }): ReactNode {
  const { data, error } = useRead('getArbiter', { arbiterPubkey });
  if (data === undefined) return error ? 'could not be read' : '…';
  const { ruled, silent, open, meanPercent } = data;
  if (ruled + silent + open === 0) return 'No disputes yet';
  const left = meanPercent === null ? '' : `, ${Math.round(meanPercent)} % to couriers and agents on average`;
  return `${ruled} ruled${left}; ${open} open; silent in ${silent}`;
}
