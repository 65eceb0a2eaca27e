import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RelayLedger } from '@legwork/deploy';
import type { Signature } from '@solana/kit';
import { Argument, Command, Option } from 'commander';
import type { ShowTransactionOptions } from '../ledger/transaction.js';
import type { FromLedger, ToLedger } from '../start/ledgerProcess.js';
import { parseAddress, parsePort, parseSignature, parseSlotMs, parseUrl } from '../optionValues.js';
import { ledgerFolder, PROGRAM_FILE } from '../paths.js';
import { listenForStop } from '../closers.js';
import { messageOf, printDone, UsageError } from '../screen.js';

interface LedgerOptions {
  readonly data: string;
  readonly port: number;
  readonly wsPort?: number;
  readonly portFallback: boolean;
  readonly slotMs?: number;
  readonly testing: boolean;
  readonly program: boolean;
  readonly clone?: readonly string[];
  readonly url?: string;
  readonly fork?: string;
  readonly features?: string;
  readonly json: boolean;
}

const PREDECESSOR_MS = 5000;

const HELP = `
Point any Solana client at it: solana -u http://127.0.0.1:8899 balance <address>
Look at a transaction of it: legwork ledger tx <signature>

Example:
  legwork ledger --data .data`;

/** `legwork ledger`: the embedded Solana alone. */
export function ledgerCommand(): Command {
  return (
    new Command('ledger')
      .description('run the embedded Solana ledger alone, with the program deployed')
      .option('--data <folder>', 'data folder; the ledger is kept in its folder "ledger"', '.data')
      .addOption(
        new Option('--port <n>', 'port of the JSON-RPC; 0 takes any free one').argParser(parsePort).default(8899),
      )
      .addOption(
        new Option('--ws-port <n>', 'port of the WebSocket (default: the port above, plus 1)').argParser(parsePort),
      )
      .option('--port-fallback', 'when the ports are taken, use the next free pair', false)
      .addOption(new Option('--slot-ms <n>', 'length of a slot in milliseconds (default: 400)').argParser(parseSlotMs))
      .option('--testing', 'enable test-only calls, such as moving time forward', false)
      .option('--no-program', 'an empty ledger, without the relay program')
      .option('--clone <address...>', 'begin with these accounts of the node in --url, programs with their code')
      .addOption(new Option('--url <rpc>', 'the node from which --clone copies').argParser(parseUrl))
      .addOption(
        new Option('--fork <rpc>', 'copy what is missing here from that node when it is first used').argParser(
          parseUrl,
        ),
      )
      .option('--features <set>', 'of agave-4.2 (default), mainnet-beta, or a file of "solana feature status"')
      .option('--json', 'print where it is as one line of JSON', false)
      .addHelpText('after', HELP)
      // The command below it has options of the same names.
      .enablePositionalOptions()
      .action(async (options: LedgerOptions) => {
        if (process.send) await runAsChild(options);
        else await runAlone(options);
      })
      .addCommand(transactionCommand())
  );
}

const TX_HELP = `
Without --url it asks the instance that runs in the data folder, or http://127.0.0.1:8899. The relay program's own
instructions are told by name if it is known which program it is: from --program, the instance, or the ledger there.

Example:
  legwork ledger tx SIGNATURE`;

/** `legwork ledger tx`: a transaction for people to read. */
function transactionCommand(): Command {
  return new Command('tx')
    .description('show a transaction on any Solana cluster: result, accounts, instructions, units, log')
    .addArgument(new Argument('<signature>', 'of the transaction').argParser(parseSignature))
    .addOption(new Option('--url <rpc>', 'JSON-RPC to ask').env('SOLANA_RPC_URL').argParser(parseUrl))
    .addOption(new Option('--program <address>', 'the relay program').env('RELAY_PROGRAM_ID').argParser(parseAddress))
    .option('--data <folder>', 'data folder of the instance or the ledger', '.data')
    .option('--json', 'print it as one line of JSON, as the node tells it', false)
    .addHelpText('after', TX_HELP)
    .action(async (signature: Signature, options: ShowTransactionOptions) => {
      const { showTransaction } = await import('../ledger/transaction.js');
      await showTransaction(signature, options);
    });
}

async function open(options: LedgerOptions): Promise<RelayLedger> {
  const [{ startLedger }, { relayGenesis }] = await Promise.all([import('@legwork/ledger'), import('@legwork/deploy')]);
  const dataDir = ledgerFolder(resolve(options.data));
  const { clone: addresses, url: from, fork } = options;
  if ((addresses === undefined) !== (from === undefined)) throw new UsageError('--clone and --url go together.');
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  return startLedger({
    dataDir,
    port: options.port,
    ...(options.wsPort === undefined ? {} : { wsPort: options.wsPort }),
    portFallback: options.portFallback,
    genesis: relayGenesis(options.program ? PROGRAM_FILE : undefined),
    ...(options.slotMs === undefined ? {} : { slotMs: options.slotMs }),
    testing: options.testing,
    ...(addresses === undefined || from === undefined ? {} : { clone: { addresses, from } }),
    ...(fork === undefined ? {} : { fork }),
    ...(options.features === undefined ? {} : { features: options.features }),
    log: (line) => process.stderr.write(`${line}\n`),
  });
}

async function runAlone(options: LedgerOptions): Promise<void> {
  const stop = listenForStop(() => process.exit(1));
  const ledger = await open(options);
  const { rpcUrl, wsUrl, keypairs } = ledger;
  const program = options.program ? keypairs.program.signer.address : null;
  const dataDir = ledgerFolder(resolve(options.data));
  const lines = [
    'The ledger is ready.',
    '',
    `  RPC          ${rpcUrl}`,
    `  WebSocket    ${wsUrl}`,
    `  Program      ${program ?? 'none'}`,
    `  Coordinator  ${keypairs.coordinator.path}`,
    `  Data folder  ${dataDir}`,
    '',
    'Stop it with Ctrl-C; everything is kept.',
    '',
  ];
  const coordinatorKeypair = keypairs.coordinator.path;
  await printDone(options.json, { rpcUrl, wsUrl, programId: program, coordinatorKeypair, dataDir }, lines.join('\n'));
  await stop.requested;
  await ledger.close();
}

/**
 * Lives as long as the process that started it, which alone decides when to end: a Ctrl-C reaches both, and the service
 * still needs the ledger to finish its work.
 */
async function runAsChild(options: LedgerOptions): Promise<void> {
  listenForStop(() => undefined);
  const ended = new Promise<void>((end) => {
    process.once('disconnect', end);
    process.on('message', (message: ToLedger) => {
      if (message.type === 'close') end();
    });
  });
  try {
    const ledger = await openPatiently(options);
    const { rpcUrl, wsUrl, keypairs } = ledger;
    const { program, coordinator } = keypairs;
    const facts = { rpcUrl, wsUrl, programAddress: program.signer.address, coordinatorKeypairPath: coordinator.path };
    await send({ type: 'ready', ledger: facts });
    await ended;
    await ledger.close();
  } catch (error) {
    await send({ type: 'failed', message: messageOf(error) });
    throw error;
  }
}

/** The ledger of an instance that was just killed may still be closing. */
async function openPatiently(options: LedgerOptions): Promise<RelayLedger> {
  const { LedgerInUseError } = await import('@legwork/ledger');
  for (const deadline = Date.now() + PREDECESSOR_MS; ; ) {
    try {
      return await open(options);
    } catch (error) {
      if (!(error instanceof LedgerInUseError) || Date.now() > deadline) throw error;
      await sleep(100);
    }
  }
}

/** Resolves when the message is sent, or nobody is there to get it. */
function send(message: FromLedger): Promise<void> {
  return new Promise((sent) => {
    if (process.connected && process.send) process.send(message, undefined, undefined, () => sent());
    else sent();
  });
}
