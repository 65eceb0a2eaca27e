/** What `legwork init` makes projects for. */
export const KINDS = ['courier', 'worker', 'shipper'] as const;
export type Kind = (typeof KINDS)[number];

/** Where a service usually is, and where the templates look for it. */
export const USUAL_URL = 'http://127.0.0.1:8080';

interface Project {
  /** Files of `templates/` beside the policy. */
  readonly files: readonly string[];
  /** The commands that it runs, without the program. */
  readonly start: readonly string[];
  /** What it does, and what to change first. */
  readonly about: string;
}

/** The projects, by their kind. Each has a policy, `legwork.yaml`, which is that of `templates/` with the name of the kind. */
export const PROJECTS: Readonly<Record<Kind, Project>> = {
  courier: {
    files: [],
    start: ['courier'],
    about: 'Carries parcels: bids on those near its home, and asks you before it signs for one. Change `legwork.yaml`.',
  },
  worker: {
    files: ['work.mjs'],
    start: ['worker'],
    about:
      'Does legs of digital tasks with the program in `work.mjs`. Change `capabilities` in `legwork.yaml` and what the program does.',
  },
  shipper: {
    files: [],
    start: [
      'register',
      'post package --from 52.5212,13.3969 --to 52.503,13.4692 --what books --kg 4 --litres 20 --budget 0.3 --wait',
    ],
    about:
      'Has one parcel carried, and asks you to sign when it is picked up and when it arrives. Change places and budget in `package.json`, and what it may spend in `legwork.yaml`.',
  },
};

/** How the command is called in a project. */
export interface Calling {
  /** In the project's package.json, which npm runs. */
  readonly inScripts: string;
  /** At a terminal. */
  readonly atTerminal: string;
  /** The package that it depends on, and what npm installs; undefined: it runs where it is, in a clone. */
  readonly version: string | undefined;
}

/** The project's package.json. */
export function manifestOf(kind: Kind, folderName: string, { inScripts, version }: Calling): string {
  const name = folderName
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  const manifest = {
    // npm refuses a project whose name is that of a package it uses.
    name: name === '' || name === 'legwork' ? `my-${kind}` : name,
    version: '1.0.0',
    private: true,
    type: 'module',
    scripts: { start: PROJECTS[kind].start.map((words) => `${inScripts} ${words}`).join(' && ') },
    ...(version !== undefined && { dependencies: { legwork: version } }),
  };
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

/** The project's README. */
export function readmeOf(kind: Kind, address: string, url: string, { atTerminal, version }: Calling): string {
  const start = `${atTerminal} start --ephemeral`;
  const steps = [
    ...(version === undefined ? [] : [['npm install', 'once']]),
    [start, `in another terminal, unless a service runs at ${url} already`],
    ['npm start', ''],
    [`${atTerminal} due`, 'what waits for you; every command of this folder goes by legwork.yaml'],
  ].map(([command = '', why]) => (why ? `${command.padEnd(start.length)}    # ${why}` : command));
  return `# A ${kind} on Legwork

${PROJECTS[kind].about}

\`\`\`sh
${steps.join('\n')}
\`\`\`

Its address is \`${address}\`. The key is in \`key.json\`, for you alone: anyone who has the file has the money. On a local ledger the
service fills the wallet; elsewhere send it some SOL first.
`;
}
