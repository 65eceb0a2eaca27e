// Writes docs/lifecycle.md and docs/pictures/package-lifecycle.svg from a package that really runs, on an instance of its
// own. Needs the build; ids and keys are told by name, so that another run writes the same.
//   node scripts/docs/lifecycle.mjs
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { formatSol, toLamports } from '@legwork/sdk';
import { startOwnInstance } from '../../examples/dist/demo/instance.js';
import { lifecyclePage } from './lifecycle/page.mjs';
import { COURIERS, first, runPackage, SHIPPER } from './lifecycle/runPackage.mjs';
import { sequenceSvg } from './lifecycle/sequenceSvg.mjs';

const at = (path) => fileURLToPath(new URL(`../../docs/${path}`, import.meta.url));
const sol = (amount) => `${formatSol(toLamports(amount))} SOL`;
const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `form_swarm + 3 × assign_leg` */
function instructionsOf({ names }) {
  const counts = new Map();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => (count === 1 ? snake(name) : `${count} × ${snake(name)}`)).join(' + ');
}

/** The rows of one part of a stage: requests before the transaction, the transaction, what it moved, and what follows. */
function steps(run, part, number) {
  const { calls, transaction, events } = part;
  const call = ({ actor, method, path, status }) => ({
    kind: 'call',
    from: actor,
    to: 'Service',
    text: `${method} ${path} → ${status}`,
  });
  const reports = transaction && run.sent.has(transaction.signature) ? 1 : 0;
  const before = calls.slice(0, calls.length - reports).map(call);
  const after = calls.slice(calls.length - reports).map(call);
  return [...before, ...(transaction ? ledgerSteps(run, transaction, number) : []), ...after, ...eventSteps(events)];
}

function ledgerSteps(run, transaction, number) {
  const sender = run.sent.get(transaction.signature) ?? 'Service';
  const signers = transaction.signers
    .map((key) => first(run.names.get(key) ?? 'coordinator'))
    .map((name) => (name === 'Service' ? 'coordinator' : name));
  const sent = {
    kind: 'transaction',
    from: sender,
    to: 'Ledger',
    text: `tx ${number}: ${instructionsOf(transaction)} (signed: ${signers.join(', ')})`,
  };
  return [
    sent,
    ...movements(run, transaction).map(({ name, amount }) => ({
      kind: 'payment',
      from: 'Ledger',
      to: name,
      text: `vault pays ${sol(amount)}`,
    })),
  ];
}

/** The wallets that the vault paid by this transaction: their balances grew by what the vault lost, fee and rent aside. */
export function movements({ names, vault }, { changes, signers, fee }) {
  if ((changes.get(vault) ?? 0n) >= 0n) return [];
  return [...changes]
    .filter(([key]) => names.has(key) && names.get(key) !== 'Service')
    .map(([key, change]) => ({ name: names.get(key), amount: change + (key === signers[0] ? fee : 0n) }))
    .filter(({ amount }) => amount > 0n);
}

/** One row an event; several of one type in a row share it. */
function eventSteps(events) {
  const rows = [];
  for (const { type, seq } of events) {
    const last = rows.at(-1);
    if (last?.type === type) last.to = seq;
    else rows.push({ type, from: seq, to: seq });
  }
  return rows.map(({ type, from, to }) => ({
    kind: 'event',
    from: 'Service',
    to: 'Events (/ws)',
    text: `${from === to ? from : `${from} to ${to}`}: ${type}`,
  }));
}

const instance = await startOwnInstance();
try {
  const run = await runPackage(instance.url);
  let number = 0;
  const stages = run.stages.map(({ title, parts }) => ({
    title,
    steps: parts.flatMap((part) => steps(run, part, part.transaction ? ++number : number)),
  }));
  const participants = [SHIPPER, ...COURIERS, 'Service', 'Ledger', 'Events (/ws)'];
  const title = 'A package from listing to settlement';
  await writeFile(at('pictures/package-lifecycle.svg'), sequenceSvg({ title, participants, stages }));
  const transactions = run.stages.flatMap(({ parts }) =>
    parts.flatMap(({ transaction }) => (transaction ? [transaction] : [])),
  );
  await writeFile(at('lifecycle.md'), lifecyclePage({ run, transactions, instructionsOf, sol, movements }));
} finally {
  await instance.stop();
}
// The event stream is still open.
process.exit();
