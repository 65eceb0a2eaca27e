import type { Terms } from '@legwork/protocol/contract';
import type { Asset, Lamports } from '@legwork/sdk';
import type { ReactNode } from 'react';
import type { Kind } from '../data/legWords.js';
import { useNames } from '../data/names.js';
import { useRead } from '../data/service.js';
import { Amount } from './Amount.js';
import { Key } from './Key.js';
import { Facts } from './Panel.js';
import { spanOf } from './spanOf.js';
import { rich, t } from '../language.js';

/** What binds both sides, in a row each. */
export function Bound({ kind, of, by }: { kind: Kind; of: Asset; by: Terms }) {
  const names = useNames();
  const { receiverPubkey, arbiterPubkey } = by;
  const key = (pubkey: string) => <Key value={pubkey} page="agent" name={names.get(pubkey)} />;
  return (
    <Facts
      of={[
        [t('Stake'), <Stake key="stake" kind={kind} of={of} amount={by.stake} />],
        ...(kind === 'package' ? carrying(by) : working(by)),
        [t('To dispute'), t('{span} after a claim; else it is paid', { span: spanOf(by.reviewSec) })],
        ...(by.cosignedPickup ? [[t('First pickup'), t('The shipper signs it too')] as const] : []),
        ...(receiverPubkey ? [[t('Receiver'), key(receiverPubkey)] as const] : []),
        [t('Arbiter'), key(arbiterPubkey)],
        [t('Rules within'), t('{span}; else the leg pays half', { span: spanOf(by.arbitrationSec) })],
        [t("Arbiter's record"), <Record key="record" arbiterPubkey={arbiterPubkey} />],
      ]}
    />
  );
}

type Rows = readonly (readonly [term: string, means: string])[];

const carrying = ({ handoffSec, carrySec }: Terms): Rows => [
  [
    t('To accept'),
    t('{span}; the same to take over once the previous courier claims arrival', { span: spanOf(handoffSec) }),
  ],
  [
    t('To carry'),
    t('{span} to pick up, and as long again to hand over or claim; else the stake is lost', { span: spanOf(carrySec) }),
  ],
];

const working = ({ handoffSec, carrySec }: Terms): Rows => [
  [t('To accept'), spanOf(handoffSec)],
  [t('To hand in'), t('{span} after that; else the stake is lost', { span: spanOf(carrySec) })],
];

function Stake({ kind, of, amount }: { kind: Kind; of: Asset; amount: Lamports }) {
  return rich(
    '{amount}, by each {kind, select, package {courier} other {agent}} that accepts, and by who disputes its claim',
    { kind, amount: <Amount of={of} amount={amount} /> },
  );
}

/** What an arbiter has ruled so far, in a sentence. */
function Record({ arbiterPubkey }: { arbiterPubkey: string }): ReactNode {
  const { data, error } = useRead('getArbiter', { arbiterPubkey });
  if (data === undefined) return error ? t('could not be read') : '…';
  const { ruled, silent, open, meanPercent } = data;
  if (ruled + silent + open === 0) return t('No disputes yet');
  if (meanPercent === null) return t('{ruled} ruled; {open} open; silent in {silent}', { ruled, open, silent });
  return t('{ruled} ruled, {percent} % to couriers and agents on average; {open} open; silent in {silent}', {
    ruled,
    percent: Math.round(meanPercent),
    open,
    silent,
  });
}
