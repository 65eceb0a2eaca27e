import type { Relay } from '@legwork/protocol/contract';
import { useRead } from '../../data/service.js';
import { Told } from '../../map/Legend.js';
import { MarketMap } from '../../map/MarketMap.js';
import { Loaded } from '../../ui/Loaded.js';
import { Figures } from './Figures.js';
import { Happening } from './Happening.js';
import { Lead } from './Lead.js';
import { Motion } from './Motion.js';
import styles from './overview.module.css';
import { Paid } from './Paid.js';
import { Tasks } from './Tasks.js';
import { useSelection } from './selection.js';

const NONE: readonly Relay[] = [];

/** The market at a glance: its figures, where everything is, what happens, and what was paid. */
export default function Overview() {
  const selection = useSelection();
  const relays = useRead('listRelays');
  return (
    <>
      <Lead relays={relays.data?.items ?? NONE} />
      <Figures />
      <div className={styles.sides}>
        <div className={styles.map}>
          <MarketMap
            relays={relays.data?.items ?? NONE}
            tellOf={(relay) => <Told relay={relay} />}
            selected={selection.selected}
            onSelect={selection.select}
          />
        </div>
        <Happening {...selection} />
      </div>
      <div className={styles.halves}>
        <Loaded query={relays} rows={8}>
          {({ items }) => <Motion relays={items} {...selection} />}
        </Loaded>
        <Tasks />
      </div>
      <Paid />
    </>
  );
}
