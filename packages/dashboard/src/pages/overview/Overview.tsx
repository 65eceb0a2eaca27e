import { useRead } from '../../data/service.js';
import type { Relay } from '../../data/relayPatch.js';
import { Heading } from '../../ui/Heading.js';
import { Loaded } from '../../ui/Loaded.js';
import { Panel } from '../../ui/Panel.js';
import { Figures } from './Figures.js';
import { Happening } from './Happening.js';
import { Motion } from './Motion.js';
import styles from './overview.module.css';
import { Paid } from './Paid.js';
import { type Selection, useSelection } from './selection.js';

/** The market at a glance: its figures, where everything is, what happens, and what was paid. */
export default function Overview() {
  const selection = useSelection();
  const relays = useRead('listRelays');
  const rows = relays.data?.items;
  return (
    <>
      <Heading title="Overview" />
      <Figures />
      <div className={styles.sides}>
        <Live relays={rows ?? NONE} {...selection} />
        <div className={styles.side}>
          <Happening {...selection} />
        </div>
      </div>
      <div className={styles.sides}>
        <Loaded query={relays} rows={8}>
          {({ items }) => <Motion relays={items} {...selection} />}
        </Loaded>
        <div className={styles.side}>
          <Paid />
        </div>
      </div>
    </>
  );
}

const NONE: readonly Relay[] = [];

/** Where everything is. */
function Live({ relays }: Selection & { relays: readonly Relay[] }) {
  return (
    <Panel title="Where they are">
      <div className={styles.map}>{relays.length}</div>
    </Panel>
  );
}
