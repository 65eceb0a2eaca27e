import type { DigitalLegDetail, DigitalTaskDetail } from '@legwork/sdk';
import type { ReactNode } from 'react';
import { service } from '../../data/service.js';
import { CheckOf } from '../../ui/Checks.js';
import { Files } from '../../ui/Files.js';
import { CopyButton, Key } from '../../ui/Key.js';
import { LongText } from '../../ui/LongText.js';
import { saveAs } from '../../ui/saveAs.js';
import { resultCheck } from './checksOf.js';
import styles from './Result.module.css';
import { locale, rich, t } from '../../language.js';

/** What an agent handed in and was paid for, as plain text and files to save, with the check that the ledger holds their hash. */
export function Result({ task, leg }: { task: DigitalTaskDetail; leg: DigitalLegDetail }) {
  const { id, result, resultHash, resultBytes, artifacts, legIndex } = leg;
  if (result === null) {
    return (
      <p className={styles.none}>
        {t('The text is not available.')}
        {resultHash && <> {rich<ReactNode>('Its sha256 is {hash}', { hash: <Key value={resultHash} /> })}</>}
      </p>
    );
  }
  return (
    <figure className={styles.result}>
      <figcaption className={styles.head}>
        {t('Result')}
        <span>{t('{size} bytes', { size: resultBytes?.toLocaleString(locale) ?? '' })}</span>
        <span className={styles.tools}>
          <button
            type="button"
            className={styles.button}
            onClick={() => saveAs(`result-${task.id.slice(-6)}-leg-${legIndex + 1}.txt`, [result])}
          >
            {t('Download')}
          </button>
          <CopyButton value={result} label={t('Copy the result of leg {number}', { number: legIndex + 1 })} />
        </span>
      </figcaption>
      <LongText text={result} isFixed />
      {artifacts.length > 0 && <Files of={{ taskId: task.id, legId: id }} files={artifacts} client={() => service} />}
      <CheckOf id={resultCheck(legIndex)} label={t('Check on the ledger')} />
    </figure>
  );
}
