import type { DigitalLegDetail, DigitalTaskDetail } from '@legwork/sdk';
import { service } from '../../data/service.js';
import { CheckOf } from '../../ui/Checks.js';
import { Files } from '../../ui/Files.js';
import { CopyButton, Key } from '../../ui/Key.js';
import { LongText } from '../../ui/LongText.js';
import { saveAs } from '../../ui/saveAs.js';
import { resultCheck } from './checksOf.js';
import styles from './Result.module.css';

/** What an agent handed in and was paid for, as plain text and files to save, with the check that the ledger holds their hash. */
export function Result({ task, leg }: { task: DigitalTaskDetail; leg: DigitalLegDetail }) {
  const { id, result, resultHash, resultBytes, artifacts, legIndex } = leg;
  if (result === null) {
    return (
      <p className={styles.none}>
        The text is not available.{resultHash && <> Its sha256 is {<Key value={resultHash} />}</>}
      </p>
    );
  }
  return (
    <figure className={styles.result}>
      <figcaption className={styles.head}>
        Result
        <span>{resultBytes?.toLocaleString()} bytes</span>
        <span className={styles.tools}>
          <button
            type="button"
            className={styles.button}
            onClick={() => saveAs(`result-${task.id.slice(-6)}-leg-${legIndex + 1}.txt`, [result])}
          >
            Download
          </button>
          <CopyButton value={result} label={`Copy the result of leg ${legIndex + 1}`} />
        </span>
      </figcaption>
      <LongText text={result} isFixed />
      {artifacts.length > 0 && <Files of={{ taskId: task.id, legId: id }} files={artifacts} client={() => service} />}
      <CheckOf id={resultCheck(legIndex)} label="Check on the ledger" />
    </figure>
  );
}
