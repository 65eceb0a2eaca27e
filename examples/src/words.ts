/** The work of the example worker, which the example verifier repeats. */
export function countWords(text: string): string {
  return `${text.split(/\s+/).filter((word) => word !== '').length} words`;
}
