import { headOf } from './pictureHead.js';

/** A text that goes among the evidence of a leg. */
export interface Note {
  readonly legId: string;
  readonly text: string;
}

/** Evidence as a text: words, and the photograph behind them. */
export const withPhoto = (text: string, photo: string | undefined): string =>
  [text.trim(), photo].filter((part) => part !== undefined && part !== '').join('\n');

const PHOTO = /^data:image\/(?:jpeg|png|webp);base64,[A-Za-z0-9+/]+={0,2}$/u;

/** The same apart: whatever stands in the words stays words, and a line is a picture only if it is nothing else. */
export function partsOf(text: string): { readonly words: string; readonly photos: readonly string[] } {
  const lines = text.split('\n');
  const photos = lines.filter((line) => PHOTO.test(line));
  return {
    words: lines
      .filter((line) => !photos.includes(line))
      .join('\n')
      .trim(),
    photos,
  };
}

/** What is shown of somebody else's text. */
export interface Shown {
  readonly words: string;
  readonly photos: readonly string[];
  /** Pictures that are too large, or none that a browser reads. */
  readonly unshown: number;
}

/** Decoded, these are 80 MB: what others send was made by whom nobody knows. */
const MOST_PIXELS = 20_000_000;

/** The parts of somebody else's text that a browser can show without harm. */
export function shownOf(text: string): Shown {
  const { words, photos } = partsOf(text);
  const shown = photos.filter((photo) => pixelsOf(photo) <= MOST_PIXELS);
  return { words, photos: shown, unshown: photos.length - shown.length };
}

/** What a data URL has to be decoded to; infinity: it is no picture. */
function pixelsOf(photo: string): number {
  try {
    const bytes = Uint8Array.from(atob(photo.slice(photo.indexOf(',') + 1)), (one) => one.charCodeAt(0));
    return headOf(new DataView(bytes.buffer))?.pixels || Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
