import { useEffect, useRef, useState } from 'react';
import { Action } from '../wallet/Connect.js';
import form from '../wallet/form.module.css';
import type { Doing } from '../wallet/useDoing.js';
import styles from './door.module.css';
import { cameraFault, openCamera, readPicture, readyToRead } from './camera.js';
import { t } from '../language.js';

interface Props {
  /** What the camera is to look for, as a heading. */
  readonly label: string;
  readonly doing: Doing;
  /** @throws Error in words: the code is of something else */
  readonly onCode: (text: string) => Promise<string | void>;
}

/** Reads a code: by the camera, from a picture, or as a text that was sent. */
export function Scanner({ label, doing, onCode }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => void readyToRead().catch(() => undefined), []);
  const close = (told: string | undefined) => {
    setIsOpen(false);
    doing.tell(told);
  };
  const take = (text: string) => doing.run(t('Reading the code.'), () => onCode(text));
  const seen = (text: string) => {
    close(undefined);
    take(text);
  };
  return (
    <div className={`${form.step} ${styles.whole}`}>
      {isOpen ? (
        <>
          <Camera onText={seen} onFault={close} />
          <button type="button" className={form.button} onClick={() => close(undefined)}>
            {t('Close the camera')}
          </button>
        </>
      ) : (
        <div className={styles.big}>
          <Action doing={doing} onPress={() => setIsOpen(true)}>
            {label}
          </Action>
        </div>
      )}
      <WithoutCamera
        doing={doing}
        take={take}
        read={(file) => doing.run(t('Reading the picture.'), async () => onCode(await readPicture(file)))}
      />
    </div>
  );
}

interface WithoutCameraProps {
  readonly doing: Doing;
  readonly take: (text: string) => void;
  readonly read: (file: Blob) => void;
}

function WithoutCamera({ doing, take, read }: WithoutCameraProps) {
  const [text, setText] = useState('');
  return (
    <details>
      <summary>{t('Camera not working?')}</summary>
      <div className={form.step}>
        <label className={form.field}>
          {t('A picture of the code')}
          <input type="file" accept="image/*" onChange={({ target: { files } }) => files?.[0] && read(files[0])} />
        </label>
        <label className={form.field}>
          {t('The code as text')}
          <textarea value={text} autoComplete="off" onChange={({ target }) => setText(target.value)} />
        </label>
        <Action doing={doing} onPress={() => take(text)}>
          {t('Use this text')}
        </Action>
      </div>
    </details>
  );
}

/** The camera's picture until a code is in it. */
function Camera({ onText, onFault }: { onText: (text: string) => void; onFault: (fault: string) => void }) {
  const video = useRef<HTMLVideoElement>(null);
  useEffect(() => {
    if (video.current === null) return undefined;
    const ended = new AbortController();
    openCamera(video.current, ended.signal).then(
      (text) => text !== undefined && onText(text),
      (error: unknown) => onFault(cameraFault(error)),
    );
    return () => ended.abort();
    // The camera is opened once, whatever else of the page changes.
  }, []);
  return <video ref={video} className={styles.camera} aria-label={t('What the camera sees')} muted playsInline />;
}
