/** `7Kxz…hKChG`: enough of a key or a signature to tell it from the others of a page. */
export function shortened(text: string): string {
  return text.length <= 14 ? text : `${text.slice(0, 4)}…${text.slice(-5)}`;
}
