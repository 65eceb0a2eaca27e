/**
 * What strangers could leave their quotes with: the marks of chat templates, which some model servers read as such wherever
 * they stand (`<|im_end|>`, `[INST]`), and all that people do not see, line breaks among it.
 */
const SPECIAL = /[<>[\]\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
const STRING_LITERAL = /"(?:[^"\\]|\\.)*"/gs;

/**
 * A section of a prompt that holds data: one line of JSON between two marks. Texts of strangers are strings in it, and no text
 * can end its string, its line or the section. Rule A-53.
 */
export function dataSection(data: unknown): string {
  const json = JSON.stringify(data).replace(STRING_LITERAL, (literal) => literal.replace(SPECIAL, escapeUnits));
  return `BEGIN DATA\n${json}\nEND DATA`;
}

function escapeUnits(character: string): string {
  return character.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** At most `max` characters of a text, the last one `…` when something was left out. */
export function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
