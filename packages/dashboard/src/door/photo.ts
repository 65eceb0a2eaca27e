import { openPicture } from './picture.js';
import { t } from '../language.js';

/** The longest side that is sent, pixels: a label can be read. */
const LONGEST = 1_600;
/** Evidence is at most 256 KiB of text, and base64 makes four characters of three bytes. */
const MOST_CHARACTERS = 180_000;
const QUALITIES = [0.85, 0.7, 0.5, 0.3];
const SMALLER = [1, 0.7, 0.5, 0.35];

/**
 * A photograph as it is shown to others: scaled, and drawn anew, so that nothing of its file is left but the picture; where it was taken and
 * by which phone, others do not learn.
 *
 * @returns a data URL of a JPEG
 * @throws Error in words for people
 */
export async function photoOf(file: Blob): Promise<string> {
  const picture = await openPicture(file);
  try {
    for (const share of SMALLER) {
      const canvas = drawn(picture, share * LONGEST);
      for (const quality of QUALITIES) {
        const url = canvas.toDataURL('image/jpeg', quality);
        if (url.length <= MOST_CHARACTERS) return url;
      }
    }
  } finally {
    picture.close();
  }
  throw new Error(t('This photograph cannot be made small enough. Take another one.'));
}

function drawn(picture: ImageBitmap, longest: number): HTMLCanvasElement {
  const { width, height } = picture;
  const scale = Math.min(1, longest / Math.max(width, height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  const pen = canvas.getContext('2d');
  if (pen === null) throw new Error(t('This browser cannot draw pictures.'));
  pen.imageSmoothingQuality = 'high';
  pen.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return canvas;
}
