import form from '../wallet/form.module.css';
import type { Doing } from '../wallet/useDoing.js';
import styles from './door.module.css';
import { photoOf } from './photo.js';
import { t } from '../language.js';

interface Props {
  readonly doing: Doing;
  readonly photo: string | undefined;
  readonly change: (photo: string | undefined) => void;
}

/** Takes a photograph as evidence. */
export function PhotoField({ doing, photo, change }: Props) {
  return (
    <>
      <label className={form.field}>
        {t('Photograph (optional)')}
        <input
          type="file"
          accept="image/*"
          capture="environment"
          // Disabled it would lose the focus of a keyboard.
          aria-disabled={doing.waiting !== undefined}
          onClick={(event) => doing.waiting !== undefined && event.preventDefault()}
          onChange={({ target }) => {
            const [file] = target.files ?? [];
            if (file === undefined) return change(undefined);
            doing.run(t('Making the photograph smaller.'), async () =>
              change(await photoOf(file).catch(refused(target))),
            );
          }}
        />
      </label>
      {photo && <img className={styles.photo} src={photo} alt={t('Your photograph')} />}
    </>
  );
}

/** What was taken before stays, so that its name must not give way to another one; and the same file can be chosen once more. */
const refused =
  (input: HTMLInputElement) =>
  (error: unknown): never => {
    input.value = '';
    throw error;
  };
