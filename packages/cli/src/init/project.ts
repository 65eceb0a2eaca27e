/** What `legwork init` makes projects for. */
export const KINDS = ['courier', 'worker', 'shipper'] as const;
export type Kind = (typeof KINDS)[number];

/** Where a service usually is, and where the templates look for it. */
export const USUAL_URL = 'http://127.0.0.1:8080';

interface Project {
  /** Files of `templates/`. */
  readonly files: readonly string[];
  /** The package it uses. */
  readonly uses: 'legwork' | '@legwork/sdk';
  readonly start: string;
  /** What it does, and what to change first. */
  readonly about: string;
}

/** The projects, by their kind. */
export const PROJECTS: Readonly<Record<Kind, Project>> = {
  courier: {
    files: ['courier.yaml'],
    uses: 'legwork',
    start: 'legwork courier --policy courier.yaml',
    about: 'Carries parcels: bids on those near its home, and asks you before it signs for one. Change `courier.yaml`.',
  },
  worker: {
    files: ['worker.yaml', 'work.mjs'],
    uses: 'legwork',
    start: 'legwork worker --policy worker.yaml',
    about:
      'Does legs of digital tasks with the program in `work.mjs`. Change `capabilities` in `worker.yaml` and what the program does.',
  },
  shipper: {
    files: ['ship.mjs'],
    uses: '@legwork/sdk',
    start: 'node ship.mjs',
    about: 'Has one parcel carried and signs for it when it arrives. Change places and budget in `ship.mjs`.',
  },
};

/** The project's package.json. */
export function manifestOf(kind: Kind, folderName: string, version: string): string {
  const { uses, start } = PROJECTS[kind];
  const name = folderName
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  const manifest = {
    // npm refuses a project whose name is that of a package it uses.
    name: name === '' || name === uses ? `my-${kind}` : name,
    version: '1.0.0',
    private: true,
    type: 'module',
    scripts: { start },
    dependencies: { [uses]: version },
  };
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

/** The project's README. */
export function readmeOf(kind: Kind, address: string, url: string): string {
  const { about } = PROJECTS[kind];
  return `# A ${kind} on Legwork

${about}

\`\`\`sh
npm install                      # once
npx legwork start --ephemeral    # in another terminal, unless a service runs at ${url} already
npm start
\`\`\`

Its address is \`${address}\`. The key is in \`key.json\`, for you alone: anyone who has the file has the money. On a local ledger the
service fills the wallet; elsewhere send it some SOL first.
`;
}
