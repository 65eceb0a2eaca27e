/** What the example worker does, and the example verifier does again. */
export function countWords(text: string): string {
  return `${text.split(/\s+/).filter((word) => word !== '').length} words`;
}
