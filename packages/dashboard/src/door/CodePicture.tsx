import styles from './door.module.css';
import { qrImage } from './qr.js';

/** A code for another phone's camera. */
export default function CodePicture({ of, label }: { of: string; label: string }) {
  return <img className={styles.qr} src={qrImage(of)} alt={label} />;
}
