/** The tokens that a canvas needs, by name. */
const TOKENS = ['land', 'water', 'border', 'surface', 'text', 'dim', 'listed', 'moving', 'paid', 'failed'] as const;

/** As `rgb(…)`: canvases and MapLibre do not know `light-dark()` and variables. */
export type Colours = Readonly<Record<(typeof TOKENS)[number], string>>;

/** The tokens as they are in the theme of now. @param within an element of the page */
export function coloursOf(within: Element): Colours {
  const probe = within.appendChild(document.createElement('span'));
  const entries = TOKENS.map((token) => {
    probe.style.color = `var(--${token})`;
    return [token, getComputedStyle(probe).color] as const;
  });
  probe.remove();
  return Object.fromEntries(entries) as Colours;
}

/** Tells when the theme changes, by the system or by the button. @returns ends it */
export function onThemeChange(changed: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  system.addEventListener('change', changed);
  const chosen = new MutationObserver(changed);
  chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => {
    system.removeEventListener('change', changed);
    chosen.disconnect();
  };
}
