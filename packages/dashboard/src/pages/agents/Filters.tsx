import type { AgentOrder } from '@legwork/protocol/contract';
import { useEffect, useState } from 'react';
import styles from './Agents.module.css';

export const ORDERS: readonly { readonly order: AgentOrder; readonly name: string }[] = [
  { order: 'earned', name: 'Earned most' },
  { order: 'reliability', name: 'Most reliable' },
  { order: 'completed', name: 'Most legs done' },
  { order: 'recent', name: 'Done last' },
  { order: 'newest', name: 'Newest' },
];

/** The search waits until nobody types, milliseconds. */
const PAUSE_MS = 250;
/** What the operation takes. */
const MAX_CHARACTERS = 80;

interface Props {
  readonly order: AgentOrder;
  readonly q: string;
  readonly change: (next: { order?: AgentOrder; q?: string }) => void;
}

export function Filters({ order, q, change }: Props) {
  return (
    <div className={styles.filters} role="search">
      <Search q={q} change={change} />
      <label>
        Order
        <select value={order} onChange={({ target }) => change({ order: target.value as AgentOrder })}>
          {ORDERS.map((one) => (
            <option key={one.order} value={one.order}>
              {one.name}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

function Search({ q, change }: Pick<Props, 'q' | 'change'>) {
  const [typed, setTyped] = useState(q);
  // Back and forward change what is searched for.
  useEffect(() => setTyped(q), [q]);
  useEffect(() => {
    if (typed.trim() === q) return undefined;
    const timer = setTimeout(() => change({ q: typed.trim() }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, q, change]);
  return (
    <label>
      Name or key
      <input
        type="search"
        value={typed}
        maxLength={MAX_CHARACTERS}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => setTyped(target.value)}
      />
    </label>
  );
}
