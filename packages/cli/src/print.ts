/** Writes to standard output. The process may end right after: a pipe has taken all of it. */
export function print(text: string): Promise<void> {
  return new Promise((taken) => process.stdout.write(text, () => taken()));
}
