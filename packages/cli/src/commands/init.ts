import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { type Kind, KINDS, USUAL_URL } from '../init/project.js';
import { printDone } from '../screen.js';

const HELP = `
Writes a key, a README, and a policy to change, legwork.yaml, which every command in that folder goes by.

Example:
  legwork init courier my-courier`;

/** `legwork init KIND DIR`: a small project that runs. */
export function initCommand(): Command {
  return new Command('init')
    .description('create a new project: a courier, a worker or a shipper')
    .addArgument(new Argument('<kind>', 'what it is').choices(KINDS))
    .argument('<folder>', 'a new or empty folder')
    .addOption(
      new Option('--url <url>', 'address of the service')
        .env('LEGWORK_URL')
        .default(USUAL_URL)
        .argParser(parseServiceUrl),
    )
    .addOption(
      new Option('--asset <name>', 'work and pay in this too, such as usdc; SOL alone if left out').argParser(
        parseAsset,
      ),
    )
    .option('--json', 'print one line of JSON', false)
    .addHelpText('after', HELP)
    .action(init);
}

interface InitOptions {
  readonly url: string;
  readonly asset?: string;
  readonly json: boolean;
}

async function init(kind: Kind, folder: string, { url, asset, json }: InitOptions): Promise<void> {
  const { shellWord } = await import('@legwork/agents');
  const { needsInstall, writeProject } = await import('../init/writeProject.js');
  const { address } = await writeProject(kind, folder, url, asset);
  const install = needsInstall(folder) ? ['npm install'] : [];
  const next = [`cd ${shellWord(folder)}`, ...install, 'npm start'];
  const steps = next.map((step) => `  ${step}\n`).join('');
  await printDone(
    json,
    { kind, folder, address, next },
    `Made a ${kind} in ${folder}. Its address is ${address}.\n\nNext, while a service runs at ${url}:\n\n${steps}`,
  );
}

/** A name that a service may give an asset, or a mint; whether it lists in it, it says when the project runs. */
function parseAsset(text: string): string | undefined {
  if (text === 'sol') return undefined;
  if (/^[A-Za-z0-9]{1,44}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be the name of an asset, such as usdc, or the mint of a token.');
}

/** An address that a policy and a program can hold as it is: no query, no quotes. */
function parseServiceUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text).href.replace(/\/$/, '') : '';
  if (/^https?:\/\/[\w.:[\]/~%-]+$/.test(url)) return url;
  throw new InvalidArgumentError('It must be an http or https address, such as http://127.0.0.1:8080.');
}
