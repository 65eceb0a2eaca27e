import type { PackageDetail } from '@legwork/sdk';
import { CheckAll } from '../../ui/Checks.js';
import { Distance } from '../../ui/Time.js';
import styles from './Package.module.css';

export function Turn({ parcel }: { parcel: PackageDetail }) {
  return (
    <div className={styles.turn}>
      <p className={styles.words}>
        Deadline <Distance to={parcel.deadline} />
      </p>
      <CheckAll />
    </div>
  );
}
