import { headOf } from './pictureHead.js';
import { m, t } from '../language.js';

/** Decoded, a picture has four bytes a pixel: these are 256 MB, and a file of a few KB can say that it has a thousand times as many. */
const MOST_PIXELS = 64_000_000;
/** Phones make files of some 12 MB; what is much larger only fills the memory. */
const MOST_BYTES = 60_000_000;

const EMPTY = m(
  'This file is empty. If the photograph is stored in a cloud, open it there first so that this phone downloads it, or take one here.',
);
const UNREAD = m('This file can no longer be read. Choose it again, or take the photograph here.');
const NONE = m('This browser cannot read this file as a photograph. Take one here, or choose a JPEG or PNG.');
const CUT = m('This photograph is incomplete. Choose it again, or take a new one.');

/**
 * Opens a picture that somebody chose. What it is and how large is read from the file's own head, so that none is decoded for which there
 * is no room. Rule D-83.
 *
 * @throws Error in words for people: what is wrong with it, and what to do
 */
export async function openPicture(file: Blob): Promise<ImageBitmap> {
  if (file.size === 0) throw new Error(t(EMPTY));
  if (file.size > MOST_BYTES) throw new Error(t('This file is larger than 60 MB. Take a smaller photograph.'));
  const bytes = await file.arrayBuffer().catch((error: unknown) => {
    throw new Error(t(UNREAD), { cause: error });
  });
  const head = headOf(new DataView(bytes));
  if (head === undefined) throw new Error(t(NONE));
  const { pixels, isWhole, otherwise = NONE } = head;
  if (!isWhole) throw new Error(t(CUT));
  if (pixels > MOST_PIXELS) {
    throw new Error(
      t(
        'This photograph has {megapixels} megapixels, and a phone can handle 64. Set the camera to fewer, such as 12, and take it again.',
        { megapixels: Math.ceil(pixels / 1e6) },
      ),
    );
  }
  return createImageBitmap(file, { imageOrientation: 'from-image' }).catch((error: unknown) => {
    throw new Error(t(otherwise), { cause: error });
  });
}
