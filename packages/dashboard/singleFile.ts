import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const here = (name: string) => join(import.meta.dirname, name);

/** By its hash, a policy lets this very text run, and no other. */
const sourceOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/**
 * Makes one file of a page: its shell, with the script and the styles of its environment in it. In a shell that has a place for a policy
 * nothing but its own script runs, and it speaks to nobody but over http, where a person says which RPC. Rules D-110, S-274.
 *
 * @param environment of the build, and of the shell: `exit` makes `exit.html`
 */
export function singleFile(environment: string): Plugin {
  const page = `${environment}.html`;
  return {
    name: `single-file-${environment}`,
    apply: 'build',
    applyToEnvironment: ({ name }) => name === environment,
    generateBundle: {
      // After Vite, which resolves what the script loads.
      order: 'post',
      async handler(_, bundle) {
        const shell = await readFile(here(page), 'utf8');
        const made = Object.values(bundle);
        const chunk = made.find((one) => one.type === 'chunk');
        if (chunk === undefined) throw new Error(`there is no script of ${page}`);
        const styles = made.flatMap((one) => (one.type === 'asset' && one.fileName.endsWith('.css') ? one.source : []));
        for (const name of Object.keys(bundle)) delete bundle[name];
        // Its text must not end the element that it stands in.
        const script = chunk.code.replaceAll('</script', String.raw`<\/script`).trim();
        const short = styles.join(' ').replace(/\s+/gu, ' ').trim();
        const policy = `default-src 'none'; script-src ${sourceOf(script)}; style-src ${sourceOf(short)}; connect-src http: https:; base-uri 'none'; form-action 'none'`;
        const parts: readonly (readonly [string, string])[] = [
          ['<!-- policy -->', `<meta http-equiv="Content-Security-Policy" content="${policy}" />`],
          ['<!-- style -->', `<style>${short}</style>`],
          ['<!-- script -->', `<script type="module">${script}</script>`],
        ];
        const source = parts.reduce((text, [place, part]) => text.replace(place, () => part), shell);
        this.emitFile({ type: 'asset', fileName: page, source });
      },
    },
  };
}
