import type { DigitalLegDetail, DigitalTaskDetail } from '@legwork/sdk';
import { ledgerRpc, readAccount, readTransaction } from '../../data/ledger.js';
import { Check } from '../../ui/Check.js';
import { CopyButton, Key } from '../../ui/Key.js';
import { LongText } from '../../ui/LongText.js';
import styles from './Result.module.css';

/** What an agent handed in and was paid for, as plain text, with the check that the ledger holds its hash. */
export function Result({ task, leg }: { task: DigitalTaskDetail; leg: DigitalLegDetail }) {
  const { result, resultHash, resultBytes } = leg;
  if (result === null) {
    return (
      <p className={styles.none}>
        The text is not here.{' '}
        {resultHash && (
          <>
            The service says that the ledger holds the sha256 <Key value={resultHash} />
          </>
        )}
      </p>
    );
  }
  return (
    <figure className={styles.result}>
      <figcaption className={styles.head}>
        Result
        <span>{resultBytes?.toLocaleString()} bytes</span>
        <span className={styles.tools}>
          <Download text={result} name={`result-${task.id.slice(-6)}-leg-${leg.legIndex + 1}.txt`} />
          <CopyButton value={result} label="Copy the result" />
        </span>
      </figcaption>
      <LongText text={result} isFixed />
      <Check key={resultHash} label="Check on the ledger" make={() => check(task, leg, result)} />
    </figure>
  );
}

async function check(task: DigitalTaskDetail, leg: DigitalLegDetail, text: string) {
  const [{ programId }, { checkResult }] = await Promise.all([ledgerRpc(), import('../../checks/resultHash.js')]);
  return checkResult(
    { programId, readAccount, readTransaction },
    {
      taskId: task.id,
      posterPubkey: task.shipperPubkey,
      legIndex: leg.legIndex,
      text,
      agentPubkey: leg.agentPubkey ?? '',
      confirmSignature: leg.confirmSignature,
    },
  );
}

function Download({ text, name }: { text: string; name: string }) {
  const save = () => {
    const url = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }));
    const link = Object.assign(document.createElement('a'), { href: url, download: name });
    link.click();
    URL.revokeObjectURL(url);
  };
  return (
    <button type="button" className={styles.button} onClick={save}>
      Download
    </button>
  );
}
