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
