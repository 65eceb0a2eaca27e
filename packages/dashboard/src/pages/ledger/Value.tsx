import { SOL } from '@legwork/sdk';
import type { ReactNode } from 'react';
import { Amount } from '../../ui/Amount.js';
import { Key } from '../../ui/Key.js';
import { Time } from '../../ui/Time.js';
import { type Shown, TITLES, titleOf } from './values.js';
import { t } from '../../language.js';

/** A decoded value. */
export function Value({ of }: { of: Shown }): ReactNode {
  switch (of.kind) {
    case 'lamports':
      return <Amount isExact of={SOL} amount={of.lamports} />;
    case 'instant':
      return <Time at={of.at} />;
    case 'address':
      return <Key value={of.text} page="account" />;
    case 'package':
    case 'task':
      return <Key value={of.text} page={of.kind} isWhole />;
    case 'hash':
      return <Key value={of.text} />;
    case 'words':
      return of.text;
    default:
      return of satisfies never;
  }
}

/** Decoded values as rows of facts. */
export function rowsOf(values: readonly (readonly [name: string, value: Shown])[]): [string, ReactNode][] {
  return values.map(([name, value]) => [
    t(TITLES[name] ?? titleOf(name.replace(/Lamports$/, ''))),
    <Value key={name} of={value} />,
  ]);
}
