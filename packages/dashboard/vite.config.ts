import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';
import { ensureGround, GROUND, versionOfGround } from './basemap/build.mjs';

const OUT = join(import.meta.dirname, 'dist');
const COMPRESSED = /\.(m?js|css|svg|json)$/;

/** Writes the .br and .gz beside each asset: the service sends them as they are. */
function precompress(): Plugin {
  return {
    name: 'precompress',
    apply: 'build',
    async closeBundle() {
      const assets = join(OUT, 'assets');
      for (const name of await readdir(assets)) {
        if (!COMPRESSED.test(name)) continue;
        const text = await readFile(join(assets, name));
        const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
        await writeFile(join(assets, `${name}.br`), await promisify(brotliCompress)(text, quality));
        await writeFile(join(assets, `${name}.gz`), await promisify(gzip)(text, { level: 9 }));
      }
    },
  };
}

/** Makes the ground of the map where it is missing; it is served, and copied by the build, as it is. */
function ground(): Plugin {
  return {
    name: 'ground',
    async config() {
      await ensureGround();
      return { publicDir: GROUND, define: { 'import.meta.env.GROUND': JSON.stringify(await versionOfGround()) } };
    },
  };
}

/** Where `npm run dashboard` finds the service whose pages are worked on. */
const service = process.env['LEGWORK_URL'] ?? 'http://127.0.0.1:8080';

export default defineConfig({
  root: import.meta.dirname,
  // Chunks and styles find each other wherever the service's address has them; the shell's own URLs are written by the service.
  base: './',
  resolve: { conditions: ['legwork-source', 'module', 'browser', 'development|production'] },
  plugins: [ground(), precompress()],
  build: {
    outDir: OUT,
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: { polyfill: false },
    // Figures stand as files, so that the policy of pages needs no `data:` for scripts and styles.
    assetsInlineLimit: 0,
    // The map's own size; a test watches the budget of every chunk.
    chunkSizeWarningLimit: 1200,
    rolldownOptions: {
      onwarn: (warning, warn) => {
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
    },
  },
  server: {
    proxy: {
      '^/ws': { target: service, ws: true },
      // What is neither a page nor one of our sources is the service's.
      '^/(?!@|src/|node_modules/|index.html|assets/ground/)': {
        target: service,
        bypass: ({ headers, url }) =>
          headers.accept?.includes('text/html') ? '/index.html' : url?.startsWith('/@') ? url : undefined,
      },
    },
  },
  worker: { format: 'es' },
});
