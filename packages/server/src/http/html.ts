const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text as HTML, for elements and for quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** A link that shows where it leads. */
export function link(url: string): string {
  return `<a href="${escapeHtml(url)}">${escapeHtml(url)}</a>`;
}

/** The looks that the pages for people share. */
const STYLE = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 18%, transparent); }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 46rem; padding: 3rem 1.25rem 4rem; font: 1rem/1.6 system-ui, sans-serif; }
h1 { margin: 0 0 .5rem; font-size: 2rem; line-height: 1.2; }
h2 { margin: 2.5rem 0 .75rem; font-size: 1.1rem; }
p { margin: 0 0 1rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .4rem 1.25rem; margin: 0; }
dt { opacity: .7; }
dd { margin: 0; overflow-wrap: anywhere; }
pre { overflow-x: auto; border: 1px solid var(--line); border-radius: .6rem; padding: .8rem 1rem; }
code { font-family: ui-monospace, monospace; font-size: .9em; }`;

/** The parts of a page; all but the title are HTML already. */
export interface PageParts {
  title: string;
  style: string;
  head?: string;
  main: string;
}

/** A whole page in the service's looks. */
export function renderPage({ title, style, head = '', main }: PageParts): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${STYLE}${style}</style>
${head}</head>
<body>
<main>
${main}
</main>
</body>
</html>
`;
}
