/** The kinds of project that `legwork init` makes. */
export const KINDS = ['courier', 'worker', 'shipper'] as const;
export type Kind = (typeof KINDS)[number];

/** Where a service usually is, and where the templates look for it. */
export const USUAL_URL = 'http://127.0.0.1:8080';

interface Project {
  /** Files of `templates/` beside the policy. */
  readonly files: readonly string[];
  /** The commands that it runs, without the program. */
  readonly start: readonly string[];
  /** Its purpose, and the first thing to change. */
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

/** The limits of a policy in an asset beside SOL, in whole units of it; test USDC comes with registration. */
const IN_ASSET: Readonly<Record<Kind, string>> = {
  courier: 'stakePerLeg: 10, stakeInAll: 50, minPayment: 0.1, price: { base: 0.2, perKm: 0.4, perHour: 2 }',
  worker: 'stakePerLeg: 10, stakeInAll: 50, minPayment: 0.1',
  shipper: 'perTransaction: 20, perDay: 40, inAll: 100',
};
/** Of SOL, so that the rent of token accounts fits: 2,039,280 lamports each, for those whom a transaction pays. */
const ROOM = [
  ['perTransaction: 0.002, perDay: 0.01', 'perTransaction: 0.01, perDay: 0.05'],
  ['perTransaction: 0.5, perDay: 1,', 'perTransaction: 0.02, perDay: 0.1,'],
] as const;

/** A policy that works in this asset, too. */
export function policyIn(kind: Kind, policy: string, asset: string): string {
  const text = ROOM.reduce((written, [usual, roomy]) => written.replace(usual, roomy), policy);
  return `${text}asset: { name: ${asset}, ${IN_ASSET[kind]} } # whole ${asset}; nothing is converted\n`;
}

/** The budget of a shipper's project in another asset than SOL, whole units. */
const BUDGET_IN_ASSET = 10;

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
export function manifestOf(kind: Kind, folderName: string, { inScripts, version }: Calling, asset?: string): string {
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
    scripts: { start: PROJECTS[kind].start.map((words) => `${inScripts} ${inAsset(words, asset)}`).join(' && ') },
    ...(version !== undefined && { dependencies: { legwork: version } }),
  };
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

const inAsset = (words: string, asset: string | undefined): string =>
  asset === undefined ? words : words.replace(/--budget \S+/, `--budget ${BUDGET_IN_ASSET} --asset ${asset}`);

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
