import type { ComponentProps } from 'react';
import { statusWord, waitsAt, type Ways } from '../data/legWords.js';
import { useNames } from '../data/names.js';
import { usePlaceName } from '../places/PlaceName.js';
import { shortened } from './shortened.js';
import { Status } from './Status.js';

interface Props {
  readonly of: Ways & { readonly status: ComponentProps<typeof Status>['of'] };
  readonly reason?: ComponentProps<typeof Status>['reason'];
}

/** Where a package or a task stands, with who has it or where it waits. Rule D-40. */
export function WayStatus({ of, reason }: Props) {
  const names = useNames();
  const place = usePlaceName(waitsAt(of));
  const word = statusWord(of, { nameOf: (pubkey) => names.get(pubkey) ?? shortened(pubkey), place });
  return <Status of={of.status} word={word} {...(reason !== undefined && { reason })} />;
}
