import { operations } from '@legwork/protocol/contract';
import { isCosignedPickup, letGoOnce } from '@legwork/protocol/rules';
import {
  joinOffered,
  joinPickup,
  legOnLedger,
  makeMove,
  offerMove,
  offerText,
  openField,
  openReputation,
  signPickup,
} from '@legwork/sdk';
import type { MadeMove, MoveOffer } from '@legwork/sdk';
import { z } from 'zod';
import type { Session } from '../../wallet/session.js';
import { localTool } from '../localTool.js';
import { RefusedError } from '../toolResult.js';
import { dueNow as whatIsDue } from '../../due.js';
import type { Due } from '../../due.js';
import { signResult } from './takeOrHandOver.js';

const { action, percent } = operations.buildTurnTx.body.shape;
const { text } = operations.putEvidence.body.shape;

/** The options that a person gives with the command of a move. */
const GIVEN_BY_HAND: Readonly<Partial<Record<z.output<typeof action>, string>>> = {
  claim: ' --file FILE',
  dispute: ' --file FILE',
  rule: ' --percent N',
  agree: ' --percent N',
};

interface Asked {
  readonly packageId?: string | undefined;
  readonly taskId?: string | undefined;
  readonly legId: string;
  readonly action: z.output<typeof action>;
  readonly text?: string | undefined;
  readonly percent?: number | undefined;
  readonly asText?: boolean | undefined;
}

export const makeMoveTool = localTool({
  name: 'make_move',
  title: 'Make a move of a leg with terms',
  description:
    'accept posts your stake: late, it is lost; vacate in time is free. take: you have the parcel. claim: it is there and nobody takes it; ' +
    'of a task: it is done. confirm: you have it, or the result is right; pays for good. dispute: posts a stake, too. rule: as arbiter. ' +
    'agree: both sides sign a percentage. crank: what silence decided. claim and dispute need text, read by all parties: evidence, or the ' +
    'result. Where two sides sign, both call this: of agree within a minute. Name packageId or taskId.',
  input: z.strictObject({
    packageId: z.uuid().optional(),
    taskId: z.uuid().optional(),
    legId: z.uuid(),
    action,
    text: text.optional(),
    percent: percent.meta({ description: 'rule, agree: of the payment; 0: the leg is open again' }),
    asText: z.boolean().optional().meta({ description: 'confirm of a task: no fee; others send it' }),
  }),
  byHand: ({ action: move, packageId, taskId, legId }) => {
    const of = taskId === undefined ? `--package ${packageId}` : `--task ${taskId}`;
    return `${move === 'rule' ? 'arbiter' : 'move'} ${move} ${legId} ${of}${GIVEN_BY_HAND[move] ?? ''}`;
  },
  run: move,
});

/** It signs the move of the ledger's leg, whatever the service builds. Rule A-79. */
async function move(session: Session, asked: Asked): Promise<object> {
  const { client, rpc, signer } = session;
  const { packageId, taskId, legId } = asked;
  if ((packageId === undefined) === (taskId === undefined)) {
    throw new RefusedError('invalid_input', 'a leg is of a package or of a task', 'Give either packageId or taskId.');
  }
  const about = taskId === undefined ? { packageId, legId } : { taskId, legId };
  if (asked.asText === true) return signResult(session, asked);
  const both = await bothSides(session, asked);
  if (both === undefined) {
    await requireOwnMove(session, asked);
    // The wallet asks a person before it pays for what nobody has picked up (T-97).
    const made = asked.action === 'confirm' ? { ...asked, evenBeforePickup: true } : asked;
    return { ...about, ...toldOf(await makeMove(client, signer, made, { rpc })) };
  }
  if (both.action === 'take') return { ...about, ...(await pickUp(session, both)) };
  const joined = await joinOffered(client, signer, both, { rpc });
  if (joined !== undefined) return { ...about, ...toldOf(joined) };
  const offer = await offerMove(client, signer, both, { rpc });
  await client.putEvidence({ legId, text: offerText(offer) });
  return { ...about, offered: both.action, waitsFor: 'the same move of the other side, within a minute' };
}

/** The shipper signs a text, which its courier sends. */
async function pickUp(session: Session, { packageId, legId }: BothSides): Promise<object> {
  const { client, rpc, signer } = session;
  const meant = { packageId, legId };
  if (await isCourier(session, meant)) {
    const joined = await joinPickup(client, signer, meant, { rpc });
    if (joined !== undefined) return toldOf(joined);
    throw new RefusedError(
      'nothing_to_sign',
      'the shipper has not signed yet that it hands the parcel over',
      'The shipper makes the same move; then call this again.',
    );
  }
  const { made, code } = await signPickup(client, signer, meant, { rpc });
  if (made !== undefined) return toldOf(made);
  if (code !== undefined) return { signed: 'picked up', code, waitsFor: PICKED_UP };
  throw new RefusedError(
    'nothing_to_sign',
    'the courier has not signed this pickup, or more than a minute ago',
    'The courier makes the move first; then call this again at once.',
  );
}

const PICKED_UP = `the courier, who finds it and sends it at once. ${letGoOnce('svc_get_package shows the leg as carried')}`;

const toldOf = (made: MadeMove) => {
  const { stage, until, signature } = made;
  return { stage, until, signature, ...openField(made) };
};

/** Moves that only who has the leg makes. */
const OF_WORKER: ReadonlySet<Asked['action']> = new Set(['accept', 'take', 'claim']);

/** @throws {RefusedError} when the ledger says that the leg is another one's, which is no lie of the service */
async function requireOwnMove({ client, rpc, signer }: Session, asked: Asked): Promise<void> {
  const { packageId, taskId, legId, action: asks } = asked;
  if (!OF_WORKER.has(asks) && asks !== 'rule') return;
  const leg = await legOnLedger(client, signer.address, { packageId, taskId, legId }, { rpc }).catch(() => undefined);
  // The move itself reports its fault.
  if (leg === undefined) return;
  const { worker, terms } = leg;
  const who = asks === 'rule' ? terms.arbiter : worker;
  if (who === signer.address) return;
  const whose = asks === 'rule' ? `disputes about it are ruled by ${who}` : `the leg is that of ${who}`;
  throw new RefusedError(
    'not_your_leg',
    `${whose}, and this wallet is ${signer.address}`,
    'due_now lists the legs that wait for you, and what you can do about each.',
  );
}

type BothSides = Omit<MoveOffer, 'transaction'>;

async function isCourier(
  { client, signer }: Session,
  { packageId = '', legId }: Pick<BothSides, 'packageId' | 'legId'>,
): Promise<boolean> {
  const { swarm } = await client.getPackage({ packageId });
  return swarm?.legs.find(({ id }) => id === legId)?.agentPubkey === signer.address;
}

/** The move, if the ledger takes it with two signatures only. */
async function bothSides(
  { client }: Session,
  { packageId, taskId, legId, action: asked, percent: share }: Asked,
): Promise<BothSides | undefined> {
  if (asked === 'agree') return { packageId, taskId, legId, action: asked, percent: share };
  if (asked !== 'take' || packageId === undefined) return undefined;
  const { terms, swarm } = await client.getPackage({ packageId });
  const leg = swarm?.legs.find(({ id }) => id === legId);
  return leg && isCosignedPickup(leg.legIndex, terms) ? { packageId, legId, action: asked } : undefined;
}

export const readEvidence = localTool({
  name: 'read_evidence',
  title: 'Read the evidence of a leg',
  description: 'What claim and dispute of a leg rest on, for its parties and, while disputed, the arbiter.',
  input: z.strictObject({ legId: z.uuid() }),
  readOnly: true,
  quotes: true,
  run: async ({ client }, { legId }) => ({ evidence: (await client.listEvidence({ legId })).items.map(shown) }),
});

/** Of photographs a model sees that they are there. */
const MOST_CHARACTERS = 4_000;

function shown({ text: said, ...about }: { readonly text: string; readonly hash: string }) {
  return { ...about, text: said.slice(0, MOST_CHARACTERS), isCut: said.length > MOST_CHARACTERS };
}

export const listOpenings = localTool({
  name: 'list_openings',
  title: 'List vacant legs that take bids',
  description:
    'Legs of packages that their couriers left or lost. Bid with svc_submit_bid and legId, for the places given, at most maxCost.',
  input: z.strictObject({}),
  readOnly: true,
  quotes: true,
  run: async ({ client }) => ({ openings: (await client.listOpenings({})).items.slice(0, MOST_OPENINGS) }),
});

const MOST_OPENINGS = 30;

export const openReputationTool = localTool({
  name: 'open_reputation',
  title: 'Open your reputation account',
  description: 'Pays the rent of your reputation account, 0.0013 SOL, once: bids under terms need it.',
  input: z.strictObject({}),
  run: async ({ client, rpc, signer }) => ({ signature: await openReputation(client, rpc, signer) }),
});

/** The number shown at once; more is counted. */
const MOST = 50;

/** The tool for each act. */
const TOOLS: Readonly<Record<Due['act'], string>> = {
  hand_in: 'svc_complete_digital_leg; or release_leg, to give the leg back',
  take_over: 'take_or_hand_over, once you have the parcel',
  carry: 'none: the recipient signs',
  receive: 'take_or_hand_over, once you have the parcel',
  move: 'make_move with the awaited action, or another of moves, once its `when` is true',
  cancel: 'cancel_or_reclaim',
  reclaim: 'cancel_or_reclaim',
};

export const dueNow = localTool({
  name: 'due_now',
  title: 'What you have to do now',
  description:
    'What waits for you, most urgent first: what to do with which tool, until when, and what silence costs. Legs, ' +
    'parcels brought to you, escrow to take back.',
  input: z.strictObject({}),
  readOnly: true,
  quotes: true,
  run: async ({ client, signer }) => {
    const due = await whatIsDue(client, signer.address);
    return { now: new Date(), due: due.slice(0, MOST).map(forModel), notShown: Math.max(0, due.length - MOST) };
  },
});

/** With the arguments of the tool in `about`, and what else helps. */
function forModel({ act, what, until, silence, ...about }: Due) {
  return { do: what, tool: TOOLS[act], until, ifNot: silence, about };
}
