/** The element with this id. @throws Error when the page has none of that kind, which is a mistake of this code */
export function element<T extends HTMLElement>(id: string, kind: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no ${kind.name} "${id}"`);
  return found;
}

/** Writes texts into the elements with these ids. */
export function write(texts: Readonly<Record<string, string>>): void {
  for (const [id, text] of Object.entries(texts)) element(id, HTMLElement).textContent = text;
}

/** Shows or hides the elements with these ids. */
export function reveal(isShown: boolean, ...ids: readonly string[]): void {
  for (const id of ids) element(id, HTMLElement).hidden = !isShown;
}

/** Where readers of the screen, and those who hear it, go on. */
export function moveTo(headingId: string): void {
  element(headingId, HTMLElement).focus();
}

/** An amount in SOL, exactly. */
export function sol(lamports: number): string {
  const digits = String(lamports).padStart(10, '0');
  const fraction = digits.slice(-9).replace(/0+$/, '');
  return `${digits.slice(0, -9)}${fraction === '' ? '' : `.${fraction}`} SOL`;
}

/** An instant of the service, to the second. */
export function instant(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
}

/**
 * Does what a button is for: one thing at a time, and whatever goes wrong is told at `problemId`.
 *
 * @param waiting said while it is under way
 */
export async function during(
  button: HTMLButtonElement,
  { waiting, problemId }: { waiting: string; problemId: string },
  act: () => Promise<void>,
): Promise<void> {
  // Not `disabled`: that would take the focus away from whoever uses the keyboard.
  if (button.ariaDisabled === 'true') return;
  button.ariaDisabled = 'true';
  write({ status: waiting, [problemId]: '' });
  try {
    await act();
  } catch (error) {
    write({
      [problemId]: error instanceof Error && error.message !== '' ? error.message : 'The wallet did not do it.',
    });
  } finally {
    button.ariaDisabled = null;
    write({ status: '' });
  }
}
