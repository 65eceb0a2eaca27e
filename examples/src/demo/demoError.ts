/** Something the person at the screen can act on; shown as a sentence, without a stack. */
export class DemoError extends Error {
  override readonly name = 'DemoError';
}
