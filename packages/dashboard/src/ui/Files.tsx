import { type Artifact, downloadArtifact, type LegworkClient } from '@legwork/sdk';
import { useState } from 'react';
import { Told } from '../wallet/Connect.js';
import { useDoing } from '../wallet/useDoing.js';
import { Verdict } from './Check.js';
import styles from './Files.module.css';
import { Key } from './Key.js';
import { saveAs } from './saveAs.js';
import { locale, rich, t } from '../language.js';

interface Props {
  /** The leg whose result they belong to. */
  readonly of: { readonly taskId: string; readonly legId: string };
  readonly files: readonly Artifact[];
  /** Who asks for them: before a result is confirmed, one who has to sign for it. */
  readonly client: () => LegworkClient;
}

/** Each time it goes on after an interruption, the wallet is asked again. */
const PATIENCE_MS = 5_000;

/** Files of a result. Each is saved once all of it is here and has the sha256 that the result names; none is opened. Rule D-14. */
export function Files({ of, files, client }: Props) {
  const doing = useDoing();
  const [saved, setSaved] = useState<readonly string[]>([]);
  const save = async ({ sha256, name, bytes }: Artifact, say: (waiting: string) => void) => {
    const parts: Blob[] = [];
    let [received, shown] = [0, -1];
    for await (const piece of downloadArtifact(client(), { ...of, sha256 }, { patienceMs: PATIENCE_MS })) {
      // The browser keeps blobs out of the page's memory.
      parts.push(new Blob([new Uint8Array(piece)]));
      received += piece.length;
      const percent = Math.floor((100 * received) / bytes);
      if (percent > shown) say(t('{percent} % of {name} loaded.', { percent, name }));
      shown = percent;
    }
    saveAs(name, parts);
    setSaved((before) => [...before, sha256]);
  };
  return (
    <div>
      <ul className={styles.files} aria-label={t('Files')}>
        {files.map((file) => (
          <li key={file.sha256}>
            <button
              type="button"
              aria-disabled={doing.waiting === undefined ? undefined : true}
              onClick={() => doing.run(t('Loading the file.'), (say) => save(file, say))}
            >
              {rich('Save {name}', { name: <bdi>{file.name}</bdi> })}
            </button>
            <span>{t('{size} bytes', { size: file.bytes.toLocaleString(locale) })}</span>
            <Key value={file.sha256} />
            {saved.includes(file.sha256) && <Verdict of={{ holds: true, seen: t('its sha256 matches the listing') }} />}
          </li>
        ))}
      </ul>
      <Told doing={doing} />
    </div>
  );
}
