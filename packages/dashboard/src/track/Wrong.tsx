/** @jsxImportSource preact */
import { useState } from 'preact/hooks';
import { withPhoto } from '../door/note.js';
import { photoOf } from '../door/photo.js';
import { Button } from './Door.js';
import { faultOf } from './words.js';

interface Props {
  /** As it is shown. */
  readonly pays: string;
  readonly back: () => void;
  /** @param note what is wrong, with the photograph */
  readonly sign: (note: string) => Promise<void>;
}

/** What somebody says who takes a parcel that is not as it should be. It pays all the same, and says so. */
export function Wrong({ pays, back, sign }: Props) {
  const [text, setText] = useState('');
  const [photo, setPhoto] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const take = async (input: HTMLInputElement) => {
    setProblem(undefined);
    const [file] = input.files ?? [];
    if (file === undefined) return setPhoto(undefined);
    setIsBusy(true);
    await photoOf(file).then(setPhoto, (error: unknown) => {
      // What was taken before stays, and its name does not give way to another one.
      input.value = '';
      setProblem(faultOf(error));
    });
    setIsBusy(false);
  };
  const note = withPhoto(text, photo);
  return (
    <div class="door">
      <label>
        What is wrong
        <textarea value={text} maxLength={2_000} onInput={({ currentTarget }) => setText(currentTarget.value)} />
      </label>
      <label>
        Photograph (optional)
        <input
          type="file"
          accept="image/*"
          capture="environment"
          aria-disabled={isBusy}
          // Disabled it would lose the focus.
          onClick={(event) => isBusy && event.preventDefault()}
          onChange={({ currentTarget }) => void take(currentTarget)}
        />
      </label>
      <p role="status">{isBusy && 'Making the photograph smaller.'}</p>
      {photo && <img class="photo" src={photo} alt="Your photograph" />}
      {problem && (
        <p role="alert" class="problem">
          {problem}
        </p>
      )}
      <p class="notice" id="pays">
        With this note you still accept the parcel, and the courier is paid the full <strong>{pays}</strong>. The note
        stays in the receipt and shows who carried the parcel when it was damaged. Without a network it waits on this
        phone: open this link again once you are online.{' '}
        <strong>If the courier should not be paid, sign nothing:</strong> tell the shipper, who can dispute the
        courier's claim.
      </p>
      <Button label="Back without signing" onPress={back} isSecond />
      <Button
        label="Accept it with this note"
        onPress={() => void sign(note)}
        isOff={note === '' || isBusy}
        describedBy="pays"
      />
    </div>
  );
}
