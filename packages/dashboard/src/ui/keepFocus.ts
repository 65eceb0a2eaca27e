/** What a keyboard goes on from where the element that it was at is gone. */
const PARTS = '[data-step], li, [role="alertdialog"], dialog, section, main';

/** The element that has the focus, and all that it stands in, from the inside out. */
let path: readonly Element[] = [];

function pathOf(element: Element): Element[] {
  const around: Element[] = [];
  for (let one: Element | null = element; one !== null; one = one.parentElement) around.push(one);
  return around;
}

/**
 * A button that did its work often goes, and browsers then forget where a keyboard was: it would begin again at the top of the page. This
 * keeps it in the nearest part that is left, which a screen reader tells. Rule D-96.
 */
export function keepFocus(): void {
  document.addEventListener('focusin', ({ target }) => {
    path = target instanceof Element ? pathOf(target) : [];
  });
  document.addEventListener('focusout', ({ target, relatedTarget }) => {
    // Who leaves by a click is not held back; what is taken away is still there while the browser says so.
    const isLeft = () => target instanceof Element && target.isConnected && document.activeElement === document.body;
    if (relatedTarget === null) setTimeout(() => isLeft() && path[0] === target && (path = []));
  });
  new MutationObserver(() => {
    const [lost] = path;
    if (lost === undefined || lost.isConnected || document.activeElement !== document.body) return;
    const part = path.find((one): one is HTMLElement => one instanceof HTMLElement && isStanding(one));
    path = [];
    if (part) goOnAt(part.matches('main') ? (part.querySelector<HTMLElement>('h1') ?? part) : part);
  }).observe(document.body, { childList: true, subtree: true });
}

const isStanding = (one: HTMLElement) => one.isConnected && one.matches(PARTS);

function goOnAt(part: HTMLElement): void {
  if (!part.hasAttribute('tabindex')) {
    part.tabIndex = -1;
    part.addEventListener('blur', () => part.removeAttribute('tabindex'), { once: true });
  }
  part.focus({ preventScroll: true });
}
