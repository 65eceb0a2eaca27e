import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';
import { ensureGround, versionOfGround } from './basemap/build.mjs';
import { lean } from './lean.js';
import { messages } from './messages.js';
import { singleFile } from './singleFile.js';

const OUT = join(import.meta.dirname, 'dist');
const ASSETS = join(OUT, 'assets');
const COMPRESSED = /\.(m?js|css|svg|json)$/;

/** Writes the .br and .gz beside each asset: the service sends them as they are. */
function precompress(): Plugin {
  return {
    name: 'precompress',
    apply: 'build',
    async closeBundle() {
      for (const name of await readdir(ASSETS)) {
        if (!COMPRESSED.test(name)) continue;
        const text = await readFile(join(ASSETS, name));
        const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
        await writeFile(join(ASSETS, `${name}.br`), await promisify(brotliCompress)(text, quality));
        await writeFile(join(ASSETS, `${name}.gz`), await promisify(gzip)(text, { level: 9 }));
      }
    },
  };
}

/** Makes the ground of the map where it is missing, and keeps it while everything else of an earlier build goes. */
function ground(): Plugin {
  return {
    name: 'ground',
    async config() {
      await ensureGround();
      return { define: { 'import.meta.env.GROUND': JSON.stringify(await versionOfGround()) } };
    },
    async buildStart() {
      if (this.environment.mode !== 'build' || this.environment.name !== 'client') return;
      for (const name of await readdir(ASSETS)) if (name !== 'ground') await rm(join(ASSETS, name));
    },
  };
}

/** Where `npm run dashboard` finds the service whose pages are worked on. */
const service = process.env['LEGWORK_URL'] ?? 'http://127.0.0.1:8080';

/** Our packages are bundled from their sources, which are there before anything is compiled. */
const CONDITIONS = ['legwork-source', 'module', 'browser', 'development|production'];

/** What is written for React runs on Preact, which does the same in a sixth of the script. */
const PREACT = [
  { find: /^react$|^react-dom$/, replacement: 'preact/compat' },
  { find: 'react-dom/client', replacement: 'preact/compat/client' },
  { find: 'react/jsx-runtime', replacement: 'preact/jsx-runtime' },
];

export default defineConfig({
  root: import.meta.dirname,
  // Chunks and styles find each other wherever the service's address has them; the shell's own URLs are written by the service.
  base: './',
  resolve: { conditions: CONDITIONS, alias: PREACT },
  publicDir: false,
  plugins: [ground(), messages(), ...lean(), singleFile('card'), singleFile('exit'), precompress()],
  build: {
    outDir: OUT,
    emptyOutDir: false,
    target: 'es2023',
    modulePreload: { polyfill: false },
    // Figures stand as files, so that the policy of pages needs no `data:` for scripts and styles.
    assetsInlineLimit: 0,
    // The map's own size; a test watches the budget of every chunk.
    chunkSizeWarningLimit: 1200,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // Forms, presets and whose move it is are for those who act: first visits and phones at a door wait for neither.
            {
              name: 'shared',
              test: /dashboard\/src\/(ui\/(?!TurnLine|Ending|LegSentence)|data\/(?!tokens)|wallet\/(?!Labelled))|protocol\/src\/(?!rules\/presets)/,
              minShareCount: 3,
            },
            // Every page has it, the first script too, which alone would not make it shared.
            { name: 'heading', test: /src\/ui\/(Heading|Boundary)/ },
            // Read at doors, where the ledger is not asked.
            { name: 'handoff', test: /sdk\/src\/(turns\/signedHandoff|errors)|program-client\/src\/handoff/ },
            // What is used together is one script: small ones compress badly. The ledger's comes with the first check.
            {
              name: 'ledger',
              test: /program-client\/src\/(?!handoff|receipts\/)|data\/(termsOnLedger|node|tokens)|src\/checks\/(transaction|resultHash|credential)/,
            },
            // What checks receipts comes with the first check of them.
            { name: 'receipts', test: /program-client\/src\/receipts\/|sdk\/src\/receipts|data\/receiptsOnLedger/ },
            // Relays in a picture, beside their list or on a page of their own.
            { name: 'relays', test: /src\/(map\/(MarketMap|Legend|Sketch|route|frame|geometry|scale)|ui\/WayStatus)/ },
            // Where people name places.
            { name: 'places', test: /src\/places\/(?!PinMap)/ },
            // Asked back before anything is signed, on all of them.
            { name: 'asked', test: /src\/wallet\/(AskedBack|Connect|useDoing|Labelled)/ },
            // What is kept until the ledger has it, and for where there is no network.
            { name: 'codes', test: /src\/door\/(codes|store|door|offline|useKeptOffline)|node_modules\/idb-keyval/ },
            // What is shown to another phone.
            { name: 'code', test: /src\/door\/qr|node_modules\/qr\/index/ },
            // Few have webhooks or give mandates.
            { name: 'acting', test: /src\/pages\/(post|turns(?!\/webhooks)|rewards|mine)\// },
            { name: 'owned', test: /src\/pages\/(mandates|turns\/webhooks)\// },
            { name: 'listing', test: /src\/pages\/(package|task)\// },
            { name: 'showing', test: /src\/pages\/(packages|tasks|agents?|ledger)\// },
          ],
        },
      },
      checks: { pluginTimings: false },
      onwarn: (warning, warn) => {
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
    },
  },
  server: {
    proxy: {
      '^/ws': { target: service, ws: true },
      // What is neither a page nor one of our sources is the service's.
      '^/(?!@|src/|node_modules/|index.html)': {
        target: service,
        bypass: ({ headers, url }) =>
          headers.accept?.includes('text/html') ? '/index.html' : url?.startsWith('/@') ? url : undefined,
      },
    },
  },
  worker: { format: 'es', plugins: () => [messages()] },
  // The consignee's page shares no script with the others: it has to be small. Browsers look for a newer worker under the same name.
  environments: {
    client: { build: { rolldownOptions: { treeshake: { manualPureFunctions: ['z', 'operation'] } } } },
    track: {
      consumer: 'client',
      resolve: { conditions: CONDITIONS },
      build: {
        rolldownOptions: {
          input: ['track.html', 'worker/worker.ts'].map((name) => join(import.meta.dirname, name)),
          output: {
            entryFileNames: ({ name }) => (name === 'worker' ? 'worker.js' : 'assets/[name]-[hash].js'),
            codeSplitting: true,
          },
          // Preact's own functions have such short names.
          treeshake: { manualPureFunctions: ['operation'] },
        },
      },
    },
    // Few operate or judge: nobody else loads any of it.
    console: {
      consumer: 'client',
      resolve: { conditions: CONDITIONS },
      build: {
        rolldownOptions: {
          input: join(import.meta.dirname, 'console.html'),
          output: {
            entryFileNames: 'assets/console-[name]-[hash].js',
            chunkFileNames: 'assets/console-[name]-[hash].js',
          },
          treeshake: { manualPureFunctions: ['z', 'operation'] },
        },
      },
    },
    // Hosts of models show it in a chat, and ask the service for nothing but this file.
    card: {
      consumer: 'client',
      resolve: { conditions: CONDITIONS },
      build: {
        rolldownOptions: {
          input: join(import.meta.dirname, 'src/card/main.tsx'),
          output: { codeSplitting: false },
          treeshake: { manualPureFunctions: ['z', 'operation'] },
        },
      },
    },
    exit: {
      consumer: 'client',
      resolve: { conditions: CONDITIONS },
      build: {
        rolldownOptions: {
          input: join(import.meta.dirname, 'src/exit/main.ts'),
          output: { codeSplitting: false },
          treeshake: { manualPureFunctions: ['z', 'operation'] },
        },
      },
    },
  },
  builder: {
    async buildApp(builder) {
      const { client, track, console: rooms, card, exit } = builder.environments;
      for (const one of [client, track, rooms, card, exit]) if (one) await builder.build(one);
    },
  },
});
