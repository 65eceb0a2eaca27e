import {
  allTurns,
  formatAmount,
  legOnLedger,
  makeMove,
  type NamedAs,
  namedAs,
  namedHashes,
  placesSaid,
  readResultDocument,
  serviceConfig,
} from '@legwork/sdk';
import { address } from '@solana/kit';
import type { Session } from '@legwork/agents';
import type { Agent } from './agent.js';
import { legAtHand, type LegAtHand, type LegInput } from './legAtHand.js';
import { textIn, told } from './moves.js';
import { minuteOf, type Shown, table } from './output.js';
import { fileLine } from './result.js';

/** The disputes that wait for this key, and its public record. */
export async function list(agent: Agent): Promise<Shown> {
  const arbiterPubkey = await agent.pubkey();
  const turns = await allTurns(agent.client, arbiterPubkey);
  const disputes = turns.filter(({ actions }) => actions.includes('rule'));
  const record = await agent.client.getArbiter({ arbiterPubkey });
  const rows = disputes.map(({ legId, until, payment, stake, ...of }) => [
    legId,
    `${of.kind} ${of.kind === 'package' ? of.packageId : of.taskId}`,
    until === null ? '' : minuteOf(until),
    formatAmount(payment, of),
    formatAmount(stake, of),
  ]);
  const waiting = table(['LEG', 'OF', 'UNTIL', 'PAYS', 'STAKES'], rows, 'No dispute waits for you.');
  const mean = record.meanPercent === null ? '' : `, ${record.meanPercent} % on average`;
  const past = `Ruled ${record.ruled}${mean}; ended without you ${record.silent}.`;
  return { data: { disputes, record }, text: `${waiting}\n${past}` };
}

/** A dispute: both sides, and their evidence, beside what the ledger says that they named. */
export async function show(agent: Agent, input: LegInput): Promise<Shown> {
  const at = await legAtHand(agent, input);
  const session = await agent.session();
  const evidence = await readEvidence(session, at);
  const { kind, listing, terms, leg } = at;
  const lines = [
    `Leg ${leg.legIndex + 1} of ${kind} ${listing.id} is ${leg.stage}${leg.until ? `, until ${minuteOf(leg.until)}` : ''}.`,
    ...whatItAsks(at),
    `  disputer  ${leg.disputerPubkey ?? 'none'}`,
    `  pays ${formatAmount(paymentOf(at), listing)}, stake of each side ${formatAmount(terms.stake, listing)}`,
    ...evidence.flatMap(({ authorPubkey, createdAt, names, text }) => [
      '',
      `${TITLES[names]}, by ${authorPubkey}, ${minuteOf(createdAt)}:`,
      ...(kind === 'task' ? resultLines(agent, text, listing.id, leg.legIndex) : [withoutPhotographs(text)]),
    ]),
  ];
  const { id, legIndex, stage, until, agentPubkey, disputerPubkey } = leg;
  const data = { ...at.of, id, legIndex, stage, until, agentPubkey, disputerPubkey, evidence };
  return { data, text: lines.join('\n') };
}

/** A result that has files is a document about them. */
function resultLines(agent: Agent, evidence: string, taskId: string, legIndex: number): string[] {
  const { result, artifacts } = readResultDocument(evidence);
  const save = `Save its files with: ${agent.command(`result ${taskId} --leg ${legIndex + 1} --save FOLDER`)}`;
  return [withoutPhotographs(result), ...artifacts.map(fileLine), ...(artifacts.length === 0 ? [] : [save])];
}

function whatItAsks({ kind, listing, leg }: LegAtHand): string[] {
  if (kind === 'package') {
    const way = `  from ${leg.pickupLat},${leg.pickupLng} to ${leg.dropoffLat},${leg.dropoffLng}`;
    return [`  ${listing.description}`, way, `  courier   ${leg.agentPubkey}`];
  }
  return [
    `  ${listing.title}: ${listing.description}`,
    `  asks for  ${leg.instruction}`,
    `  agent     ${leg.agentPubkey}`,
  ];
}

const paymentOf = ({ kind, listing, leg }: LegAtHand) =>
  kind === 'package' ? leg.agreedPayment : listing.paymentPerLeg;

/** A photograph in text is thousands of characters; `--json` has all of them. */
function withoutPhotographs(text: string): string {
  return text.replace(
    /data:[\w/+.-]+;base64,[\w+/=]+/g,
    (url) => `${url.slice(0, url.indexOf(','))}, ${url.length} characters`,
  );
}

interface RuleInput extends LegInput {
  readonly percent: number;
  /** A file. */
  readonly reason?: string;
}

/** Divides the payment and both stakes of a disputed leg. */
export async function rule(agent: Agent, input: RuleInput): Promise<Shown> {
  const text = input.reason === undefined ? undefined : await textIn(input.reason);
  const { client, signer, rpc } = await agent.session();
  const { leg, of } = await legAtHand(agent, input).catch(async (error: unknown) => {
    // A leg that was ruled is nobody's turn any more, and may be another courier's: what the service refuses says how it was ruled.
    await client.buildTurnTx({ legId: input.leg, action: 'rule', pubkey: signer.address, percent: input.percent });
    throw error;
  });
  const move = { legId: leg.id, ...of, onChainLeg: leg.onChainLeg, percent: input.percent, text };
  return told(agent, await makeMove(client, signer, { ...move, action: 'rule' }, { rpc }));
}

const TITLES: Readonly<Record<NamedAs, string>> = {
  claim: 'THE CLAIM, as the ledger names it',
  dispute: 'THE DISPUTE, as the ledger names it',
  ruling: 'THE REASON OF THE RULING, as the ledger names it',
  nothing: 'Beside them, named by no move',
  forged: 'LEFT OUT: its text is not what its hash says',
};

/** The service's evidence, each piece measured against claim, dispute and ruling on the ledger. */
async function readEvidence(session: Session, at: LegAtHand) {
  const { items } = await session.client.listEvidence({ legId: at.leg.id });
  const named = await namedHashes(session.rpc, await placeOf(session, at));
  return items.map(({ text, hash, ...piece }) => {
    const names = namedAs({ text, hash }, named);
    return { ...piece, hash, names, text: names === 'forged' ? '' : text };
  });
}

/** Where the ledger has the leg; one that is over has no account any more, and its history stays. */
async function placeOf({ client, rpc, signer }: Session, { leg, of, listing }: LegAtHand) {
  if (leg.stage !== 'completed') return legOnLedger(client, signer.address, { legId: leg.id, ...of }, { rpc });
  const programId = address((await serviceConfig(client)).programId);
  const { shipperPubkey } = listing;
  const said = 'taskId' in of ? { ...of, shipperPubkey } : { packageId: of.packageId, shipperPubkey };
  const { address: place } = await placesSaid(programId, said, leg.legIndex);
  return { programId, address: place, turn: { formation: leg.formation ?? 0 } };
}
