// The facts that must hold after daemons were killed a thousand times, read from the service's events and lists, and from the journals.
import { readFile } from 'node:fs/promises';
import { everyItem, followEvents } from '@legwork/sdk';

const SOL = 1_000_000_000n;
/** The limits of every policy in this soak. */
const LIMITS = { perTransaction: SOL / 500n, perDay: SOL / 100n, inAll: SOL, legsAtOnce: 8 };

/** @returns a sentence for each thing that was done twice or passed a limit */
export async function findFaults(stage, agents) {
  const nameOf = new Map(agents.map(({ name }) => [stage.company.named(name).signer.address, name]));
  return [
    ...(await faultsOfBids(stage, nameOf)),
    ...(await faultsOfLegs(stage, nameOf)),
    ...(await Promise.all(agents.map((agent) => faultsOfJournal(stage, agent)))).flat(),
    ...(await Promise.all(agents.map((agent) => faultsOfMoves(stage, agent)))).flat(),
  ];
}

/** A bid that replaced another one of the same agent before that one ended was made twice. */
async function faultsOfBids({ client }, nameOf) {
  const faults = [];
  for await (const { id } of everyItem(client.listPackages, {})) {
    const bids = [];
    for await (const bid of everyItem(client.listBids, { packageId: id })) bids.push(bid);
    for (const { agentPubkey, status, createdAt, expiresAt } of bids) {
      const isLater = (bid) =>
        bid.agentPubkey === agentPubkey && bid.createdAt > createdAt && bid.createdAt < expiresAt;
      if (status === 'replaced' && bids.some(isLater))
        faults.push(`${nameOf.get(agentPubkey)} bid twice on package ${id}`);
    }
  }
  return faults;
}

/** From the whole history: no leg is claimed or completed twice, and nobody has more legs at once than allowed. */
async function faultsOfLegs({ url, client }, nameOf) {
  const faults = [];
  const [open, done, claims] = [new Map(), new Set(), new Map()];
  const begin = ({ agentPubkey, legId }) => {
    const legs = open.get(agentPubkey) ?? new Set();
    open.set(agentPubkey, legs.add(legId));
    if (legs.size > LIMITS.legsAtOnce) faults.push(`${nameOf.get(agentPubkey)} has ${legs.size} legs at once`);
  };
  const end = ({ agentPubkey, legId, type }) => {
    open.get(agentPubkey)?.delete(legId);
    if (type === 'TASK_LEG_RELEASED') return claims.delete(legId);
    if (done.has(legId)) faults.push(`leg ${legId} of ${nameOf.get(agentPubkey)} is completed twice`);
    return done.add(legId);
  };
  for (const event of await historyOf(url, client)) {
    if (event.type === 'BID_RECEIVED' || event.type === 'LEG_REPLACED') begin(event);
    if (event.type === 'LEG_VACATED') open.get(event.agentPubkey)?.delete(event.legId);
    if (event.type === 'TASK_LEG_CLAIMED') {
      if (claims.has(event.legId)) faults.push(`leg ${event.legId} is claimed twice`);
      claims.set(event.legId, event.agentPubkey);
      begin(event);
    }
    if (['LEG_CONFIRMED', 'TASK_LEG_COMPLETED', 'TASK_LEG_RELEASED'].includes(event.type)) end(event);
  }
  return faults;
}

/** Every event so far: the stream is followed until it has been silent for a while. */
async function historyOf(url) {
  const events = [];
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), 5_000);
  for await (const event of followEvents({ url, since: 0, signal: silence.signal })) {
    events.push(event);
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), 2_000);
  }
  return events;
}

const journalOf = async ({ folder }, { name, role }) => {
  const file = folder.keyFile(`${role}-${name.toLowerCase()}`).replace(/\.json$/, '.journal.jsonl');
  const lines = (await readFile(file, 'utf8')).trim().split('\n');
  return lines.map((line) => JSON.parse(line));
};

/** No move of a leg with terms is signed again when it had landed. */
async function faultsOfMoves(stage, agent) {
  const faults = [];
  const moves = (await journalOf(stage, agent)).filter(
    ({ kind, instruction }) => kind === 'signed' && MOVES.has(instruction),
  );
  const sameAs = (one) => (other) =>
    other.instruction === one.instruction &&
    other.subject === one.subject &&
    (other.stakeLamports === undefined) === (one.stakeLamports === undefined);
  for (const [at, move] of moves.entries()) {
    if (!moves.slice(at + 1).some(sameAs(move))) continue;
    const { value } = await stage.ledger.rpc
      .getSignatureStatuses([move.signature], { searchTransactionHistory: true })
      .send();
    if (value[0]?.err === null)
      faults.push(`${agent.name} signed ${move.instruction} of ${move.subject} again though it had landed`);
  }
  return faults;
}

const MOVES = new Set(['accept', 'vacate', 'claim']);

/** No transaction or sum above a limit, no call under two names, no result that differs from the one that was sent before. */
async function faultsOfJournal(stage, { name, role }) {
  const entries = await journalOf(stage, { name, role });
  const faults = [];
  const amounts = entries.filter(({ kind }) => kind === 'signed').map(({ lamports }) => BigInt(lamports));
  const sum = amounts.reduce((total, lamports) => total + lamports, 0n);
  if (amounts.some((lamports) => lamports > LIMITS.perTransaction)) faults.push(`${name} passed limits.perTransaction`);
  // The soak is over within a day.
  if (sum > LIMITS.perDay || sum > LIMITS.inAll)
    faults.push(`${name} signed for ${sum} lamports, more than limits.perDay`);
  const calls = entries.filter(({ kind }) => kind === 'called');
  const repeated = calls.filter(({ key }, at) => calls.findIndex((other) => other.key === key) !== at);
  for (const { call, key } of repeated) faults.push(`${name} wrote ${call} twice under ${key}`);
  const results = calls.filter(({ call }) => call === 'completeDigitalLeg');
  for (const [at, { subject }] of results.entries()) {
    if (results.findIndex((other) => other.subject === subject) !== at)
      faults.push(`${name} handed in ${subject} twice`);
  }
  return faults;
}
