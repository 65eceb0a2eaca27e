import type { DigitalLegDetail, DigitalTaskDetail } from '@legwork/sdk';
import { base } from '../../data/shell.js';
import { CheckOf } from '../../ui/Checks.js';
import { CopyButton, Key } from '../../ui/Key.js';
import { LongText } from '../../ui/LongText.js';
import { resultCheck } from './checksOf.js';
import styles from './Result.module.css';

/** What an agent handed in and was paid for, as plain text and files to save, with the check that the ledger holds their hash. */
export function Result({ task, leg }: { task: DigitalTaskDetail; leg: DigitalLegDetail }) {
  const { id, result, resultHash, resultBytes, artifacts, legIndex } = leg;
  if (result === null) {
    return (
      <p className={styles.none}>
        The text is not here.{resultHash && <> Its sha256 is {<Key value={resultHash} />}</>}
      </p>
    );
  }
  return (
    <figure className={styles.result}>
      <figcaption className={styles.head}>
        Result
        <span>{resultBytes?.toLocaleString()} bytes</span>
        <span className={styles.tools}>
          <Download text={result} name={`result-${task.id.slice(-6)}-leg-${legIndex + 1}.txt`} />
          <CopyButton value={result} label={`Copy the result of leg ${legIndex + 1}`} />
        </span>
      </figcaption>
      <LongText text={result} isFixed />
      {artifacts.length > 0 && (
        <ul className={styles.files} aria-label="Files">
          {artifacts.map(({ sha256, name, bytes }) => (
            <li key={sha256}>
              <a href={`${base}digital-tasks/${task.id}/legs/${id}/artifacts/${sha256}`} download={name}>
                <bdi>{name}</bdi>
              </a>
              <span>{bytes.toLocaleString()} bytes</span>
              <Key value={sha256} />
            </li>
          ))}
        </ul>
      )}
      <CheckOf id={resultCheck(legIndex)} label="Check on the ledger" />
    </figure>
  );
}

function Download({ text, name }: { text: string; name: string }) {
  const save = () => {
    const url = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }));
    Object.assign(document.createElement('a'), { href: url, download: name }).click();
    URL.revokeObjectURL(url);
  };
  return (
    <button type="button" className={styles.button} onClick={save}>
      Download
    </button>
  );
}
