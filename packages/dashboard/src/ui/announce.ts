let region: HTMLElement | undefined;

/** A region is there a moment before anything is said in it, as screen readers want it; milliseconds. */
const MOMENT_MS = 50;

function place(): HTMLElement {
  const made = document.createElement('p');
  made.setAttribute('role', 'status');
  made.className = 'visually-hidden';
  return document.body.appendChild(made);
}

/** Says what happened to who does not see the screen, where nothing that stays on the page says it in words. */
export function announce(text: string): void {
  region ??= place();
  const said = region;
  // The same again is said again.
  said.textContent = '';
  setTimeout(() => {
    said.textContent = text;
  }, MOMENT_MS);
}
