/** A folded text shows so many lines, and of text without line breaks as much as fills them. */
const LINES = 20;
const CHARACTERS = 1_600;

/** The beginning of a text that is shown while it is folded; the text itself when it is short. */
export function startOf(text: string): string {
  let end = -1;
  for (let line = 0; line < LINES; line += 1) {
    end = text.indexOf('\n', end + 1);
    if (end === -1) break;
  }
  const cut = end === -1 ? text : text.slice(0, end);
  if (cut.length <= CHARACTERS) return isNearlyAll(cut, text) ? text : cut;
  // Not between the halves of a character.
  return cut.slice(0, CHARACTERS).replace(/[\uD800-\uDBFF]$/, '');
}

/** Nothing but a line break or two is left. */
const isNearlyAll = (start: string, text: string): boolean =>
  text.slice(start.length, start.length + 80).trim() === '' && text.length - start.length < 80;
