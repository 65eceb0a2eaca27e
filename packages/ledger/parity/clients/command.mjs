// The command `solana`, as people type it.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { getBase58Decoder } from '@solana/kit';
import { until } from '../rpc.mjs';

const PROGRAM = fileURLToPath(new URL('../../../../program/dist/relay.so', import.meta.url));
const LONGEST_MS = 90_000;
/** A leader schedule has 432,000 lines. */
const MOST_OUTPUT = 256 * 1024 * 1024;

export async function checks({ rpcUrl, wsUrl, solana, atEnd }) {
  const folder = mkdtempSync(join(tmpdir(), 'legwork-command-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  const keypair = (name) => writeKeypair(join(folder, `${name}.json`));
  const payer = keypair('payer');
  const ahead = [
    '--config',
    join(folder, 'none.yml'),
    '--url',
    rpcUrl,
    '--ws',
    wsUrl,
    '--keypair',
    payer.path,
    '--commitment',
    'confirmed',
  ];
  const run = (...args) => output(solana, [...ahead, ...args], folder);
  const first = async (pattern, args, then) =>
    firstLine(spawn(solana, [...ahead, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] }), pattern, then);
  const context = { run, first, payer, keypair, says: saysWith(run) };
  return {
    ...walletChecks(context),
    ...clusterChecks(context),
    ...nonceChecks(context),
    ...tableChecks(context),
    ...programChecks(context),
  };
}

/** The output of a command. @throws Error with its last lines */
async function output(solana, args, cwd) {
  const options = { timeout: LONGEST_MS, maxBuffer: MOST_OUTPUT, cwd };
  try {
    return (await promisify(execFile)(solana, args, options)).stdout;
  } catch (error) {
    throw new Error((error.stderr ?? error.message).trim().split('\n').slice(-8).join(' '), { cause: error });
  }
}

/** A check that the output of a command fits. */
const saysWith =
  (run) =>
  (pattern, ...args) =>
  async () =>
    assert.match(await run(...args), pattern);

function writeKeypair(path) {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const bytes = (key, field) => Buffer.from(key.export({ format: 'jwk' })[field], 'base64url');
  const own = bytes(publicKey, 'x');
  writeFileSync(path, JSON.stringify([...bytes(privateKey, 'd'), ...own]));
  return { path, address: getBase58Decoder().decode(own) };
}

/** Waits for a line of a command that does not end by itself. */
async function firstLine(child, pattern, then) {
  try {
    await new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no line like ${pattern}`)), LONGEST_MS / 3);
      let output = '';
      let isAsked = false;
      child.stdout.on('data', (data) => {
        output += data;
        if (!isAsked) then().catch(reject);
        isAsked = true;
        if (pattern.test(output)) {
          clearTimeout(timer);
          resolve();
        }
      });
      child.once('exit', (code) => reject(new Error(`ended with ${code}: ${output}`)));
    });
  } finally {
    child.kill();
  }
}

function walletChecks({ run, first, payer, keypair, says }) {
  const friend = keypair('friend');
  let signature;
  const pay = (amount) => run('transfer', friend.address, amount, '--allow-unfunded-recipient');
  return {
    airdrop: says(/20 SOL/, 'airdrop', '20'),
    balance: says(/20 SOL/, 'balance'),
    transfer: async () => {
      [, signature] = /Signature: (\w+)/.exec(await pay('1.5'));
    },
    'the same transfer again': () => pay('1.5'),
    'confirm -v': async () =>
      assert.match(await run('confirm', '-v', signature), /Transfer[^]*Finalized|Transfer[^]*Confirmed|lamports/),
    'transaction-history': async () =>
      assert.match(await run('transaction-history', payer.address), new RegExp(signature)),
    account: says(/Balance: 3 SOL/, 'account', friend.address),
    logs: () => first(/Program 11111111111111111111111111111111 success/, ['logs', payer.address], () => pay('0.01')),
    block: async () => {
      const slot = (await run('slot', '--commitment', 'finalized')).trim();
      assert.match(await run('block', slot), /Blockhash|Slot/);
    },
    rent: says(/Rent-exempt minimum: 0.\d+ SOL/, 'rent', '165'),
    'create-stake-account and stake-account': async () => {
      const stake = keypair('stake');
      await run('create-stake-account', stake.path, '2');
      assert.match(await run('stake-account', stake.address), /Balance: 2(\.0\d+)? SOL/);
    },
  };
}

function clusterChecks({ says }) {
  return {
    'slot, block-height, epoch': says(/^\d+\s*$/, 'slot'),
    'epoch-info': says(/Epoch Slot Range/, 'epoch-info'),
    'block-time': says(/Date: \d{4}-/, 'block-time'),
    'cluster-date': says(/\d{4}-/, 'cluster-date'),
    'cluster-version': says(/^4\.2\.\d+/, 'cluster-version'),
    'genesis-hash': says(/^\w{43,44}\s*$/, 'genesis-hash'),
    validators: says(/Active Stake/, 'validators'),
    gossip: says(/127\.0\.0\.1/, 'gossip'),
    supply: says(/Total: \d+/, 'supply'),
    'largest-accounts': says(/SOL/, 'largest-accounts'),
    'leader-schedule': says(/\d+\s+\w{43,44}/, 'leader-schedule'),
    'block-production': says(/Leader/i, 'block-production'),
    inflation: says(/Inflation/i, 'inflation'),
    stakes: says(/Stake|^\s*$/, 'stakes'),
    'transaction-count': says(/^\d+\s*$/, 'transaction-count'),
    'feature status': says(/active/, 'feature', 'status'),
  };
}

function nonceChecks({ run, payer, keypair, says }) {
  const nonce = keypair('nonce');
  const friend = keypair('nonceFriend');
  return {
    'create-nonce-account': says(/Signature/, 'create-nonce-account', nonce.path, '0.01'),
    'nonce, new-nonce': async () => {
      const before = await run('nonce', nonce.address);
      await run('new-nonce', nonce.address);
      assert.notEqual(await run('nonce', nonce.address), before);
    },
    'nonce-account': says(/Balance: 0.01 SOL/, 'nonce-account', nonce.address),
    'transfer signed offline with a nonce': async () => {
      const hash = (await run('nonce', nonce.address)).trim();
      const transfer = [
        'transfer',
        friend.address,
        '0.5',
        '--allow-unfunded-recipient',
        '--from',
        payer.path,
        '--blockhash',
        hash,
        '--nonce',
        nonce.address,
      ];
      const signed = await run(...transfer, '--sign-only');
      const [, signer] = /(\w{32,44}=\w{64,88})/.exec(signed);
      assert.match(await run(...transfer, '--signer', signer), /Signature/);
    },
    'withdraw-from-nonce-account': says(
      /Signature/,
      'withdraw-from-nonce-account',
      nonce.address,
      payer.address,
      '0.001',
    ),
  };
}

function tableChecks({ run, payer }) {
  return {
    'address-lookup-table create, extend, get': async () => {
      const [, table] = /Lookup Table Address: (\w+)/.exec(await run('address-lookup-table', 'create'));
      await run('address-lookup-table', 'extend', table, '--addresses', payer.address);
      assert.match(await run('address-lookup-table', 'get', table), new RegExp(payer.address));
    },
  };
}

function programChecks({ run, keypair }) {
  const program = keypair('program');
  // The loader refuses a second change of a program within a slot.
  const inLaterSlot = async (command) => {
    const slot = Number(await run('slot'));
    await until('a later slot', async () => (Number(await run('slot')) > slot ? true : undefined));
    return command();
  };
  const deploy = (...more) => run('program', 'deploy', PROGRAM, '--program-id', program.path, ...more);
  return {
    'program deploy --use-rpc': async () => assert.match(await deploy('--use-rpc'), new RegExp(program.address)),
    'program show': async () => assert.match(await run('program', 'show', program.address), /ProgramData Address/),
    'program extend': () =>
      inLaterSlot(async () => assert.match(await run('program', 'extend', program.address, '1000000'), /Extended/i)),
    'program deploy again, an upgrade': () =>
      inLaterSlot(async () => assert.match(await deploy('--use-rpc'), new RegExp(program.address))),
    'program dump': async () => assert.match(await run('program', 'dump', program.address, 'dump.so'), /Wrote/),
    'program deploy without flags': async () => {
      const other = keypair('otherProgram');
      assert.match(await run('program', 'deploy', PROGRAM, '--program-id', other.path), new RegExp(other.address));
    },
    'program close': async () =>
      assert.match(await run('program', 'close', program.address, '--bypass-warning'), /Closed/),
  };
}
