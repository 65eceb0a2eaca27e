import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const here = (name: string) => join(import.meta.dirname, name);

/** By its hash, a policy lets this very text run, and no other. */
const sourceOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/**
 * Makes one file of a page that needs no service: it works from a disk and from any host. Nothing but its own script runs in it, and it
 * speaks to nobody but over http, where a person says which RPC. Rule D-110.
 */
export function singleFile(environment: string): Plugin {
  return {
    name: 'single-file',
    apply: 'build',
    applyToEnvironment: ({ name }) => name === environment,
    generateBundle: {
      // After Vite, which resolves what the script loads.
      order: 'post',
      async handler(_, bundle) {
        const [shell, style] = await Promise.all(
          ['exit.html', 'src/exit/exit.css'].map((name) => readFile(here(name), 'utf8')),
        );
        const chunk = Object.values(bundle).find((one) => one.type === 'chunk');
        if (shell === undefined || style === undefined || chunk === undefined)
          throw new Error('there is no script of exit.html');
        for (const name of Object.keys(bundle)) delete bundle[name];
        // Its text must not end the element that it stands in.
        const script = chunk.code.replaceAll('</script', String.raw`<\/script`).trim();
        const short = style.replace(/\s+/gu, ' ').trim();
        const policy = `default-src 'none'; script-src ${sourceOf(script)}; style-src ${sourceOf(short)}; connect-src http: https:; base-uri 'none'; form-action 'none'`;
        const parts: readonly (readonly [string, string])[] = [
          ['<!-- policy -->', `<meta http-equiv="Content-Security-Policy" content="${policy}" />`],
          ['<!-- style -->', `<style>${short}</style>`],
          ['<!-- script -->', `<script type="module">${script}</script>`],
        ];
        const source = parts.reduce((text, [place, part]) => text.replace(place, () => part), shell);
        this.emitFile({ type: 'asset', fileName: 'exit.html', source });
      },
    },
  };
}
