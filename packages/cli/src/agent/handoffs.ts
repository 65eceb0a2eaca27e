import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dueNow } from '@legwork/agents';
import { type Handoff, type HandoffAhead, LegStatus } from '@legwork/program-client';
import { isCosignedPickup, legUnderWay, letGoOnce } from '@legwork/protocol/rules';
import {
  decodeRelayAccount,
  formatAmount,
  handoffCode,
  LegworkApiError,
  type PaidIn,
  readHandoff,
  readHandoffCode,
  requireHandoff,
  serviceConfig,
  shareHandoff,
  signHandoff,
  SOL,
  submitHandoff,
  toLamports,
  TransactionRefusedError,
} from '@legwork/sdk';
import { type Address, address, createSolanaRpc, fetchEncodedAccount } from '@solana/kit';
import { renderUnicodeCompact } from 'uqr';
import { askAtTerminal } from '../daemon/askAtTerminal.js';
import { UsageError, UserError } from '../screen.js';
import type { Agent } from './agent.js';
import { paidInNamed } from './assets.js';
import { legAtHand, sessionStaking } from './legAtHand.js';
import { textIn } from './moves.js';
import type { Shown } from './output.js';

interface SignInput {
  /** Of a leg or a package; left out: the one that waits for this key. */
  readonly id?: string | undefined;
  readonly noted?: string;
  readonly share?: true;
  readonly json?: true;
}

/** Signs the text of a handoff. Its payment, the payee and the amount are said before, and asked where there is a terminal. Rule A-132. */
export async function sign(agent: Agent, { id, noted: said, share, json }: SignInput): Promise<Shown> {
  const noted = said === undefined ? undefined : await hashOf(said);
  const { client, signer, rpc } = await agent.session();
  const { legId, nextLegId = '', ...meant } = await meantBy(agent, id ?? (await waiting(agent)), signer.address);
  const ahead = await readHandoff(client, signer.address, { ...meant, evenBeforePickup: true }, { rpc });
  const { does: what, at } = await meaningOf(agent, signer.address, whole(ahead, noted));
  const does =
    noted === undefined ? what : [what, ...contesting(agent, ahead, { ...meant, legId, nextLegId, at })].join(' ');
  process.stderr.write(`${does}\n`);
  const ask = askAtTerminal();
  if (ask && !(await ask('Sign it?', new AbortController().signal))) throw new UserError('Not signed.');
  const of = { legId, ...meant, evenBeforePickup: true };
  const code = share
    ? await shareHandoff(client, signer, of, { rpc, noted })
    : handoffCode(await signHandoff(signer, ahead, { noted }));
  const next = nextOf(agent, ahead, { listingId: meant.packageId ?? legId, isShared: share === true, at });
  // Anyone who saves the output has the code and nothing else.
  if (!json) process.stderr.write(`${renderUnicodeCompact(code, { ecc: 'L', border: 2 })}\n${next}\n`);
  return { data: { code, does, next }, text: code };
}

/** A leg as the ledger has it. */
type LegNow = Awaited<ReturnType<typeof requireHandoff>>;

interface ToContest {
  readonly packageId?: string | undefined;
  readonly legId: string;
  /** Of who takes over. */
  readonly nextLegId: string;
  readonly at: LegNow;
}

/** A noted defect holds nothing back, so it says which move does. */
function contesting(
  agent: Agent,
  { said }: HandoffAhead,
  { packageId, legId, nextLegId, at: { terms, worker } }: ToContest,
): string[] {
  const dispute = agent.command(`move dispute ${legId} --file FILE`);
  switch (said) {
    case 'picked up':
      return [];
    case 'accepted':
      throw new UsageError(`--noted is of a parcel. To contest a result, do not sign: dispute it instead: ${dispute}`);
    case 'taken over':
    case 'received':
      break;
  }
  if (terms === null) return ['To contest it, do not sign: without terms nobody is paid unless you do.'];
  if (said === 'received') {
    return [
      `To contest it, do not sign: once ${worker} has claimed that it is there, dispute the claim within the review, with a stake of your own: ${dispute}`,
    ];
  }
  return [
    `To contest it, do not sign, and leave your own leg before its clock ends:`,
    `${agent.command(`move vacate ${nextLegId} --package ${packageId}`)};`,
    `once ${worker} has claimed that it is there, the shipper or the receiver can dispute the claim.`,
  ];
}

interface ToSend {
  readonly listingId: string;
  readonly isShared: boolean;
  readonly at: LegNow;
}

/** Says who sends a signed handoff, and that nobody may rely on it before it is sent. */
function nextOf(agent: Agent, { said }: HandoffAhead, { listingId, isShared, at: { terms } }: ToSend): string {
  const send = agent.command('handoff send FILE');
  if (said === 'picked up') {
    const gets = isShared
      ? 'The courier finds it, and sends it at once.'
      : 'Give it to the courier, who sends it at once ("legwork handoff send FILE").';
    return `${gets} Let the parcel go only once leg 1 is shown as carried: ${agent.command(`show ${listingId}`)}`;
  }
  if (said !== 'taken over') return `Anybody with a network can send it, and pays the fee: ${send}`;
  if (terms === null) return `Send it, or let the courier send it, for the fee: ${send}`;
  return [
    'Keep it, and send it yourself before your clock ends, with any key that can pay the fee. A courier that keeps it back could claim,',
    `let your clock run out, and cost you your stake: ${send}`,
  ].join('\n');
}

const whole = (ahead: HandoffAhead, noted: Uint8Array | undefined): Handoff => {
  const signedAt = new Date();
  return ahead.said === 'accepted' ? { ...ahead, signedAt } : { ...ahead, signedAt, noted };
};

/** SHA-256 of what is wrong: of a file's bytes, or of words. @throws UsageError for what is neither */
async function hashOf(said: string): Promise<Uint8Array> {
  const isFile = existsSync(said);
  if (!isFile && !/\s/u.test(said.trim())) {
    throw new UsageError(`--noted takes a file, or what is wrong in more than one word; there is no file ${said}.`);
  }
  return Uint8Array.from(
    createHash('sha256')
      .update(isFile ? await readFile(said) : said)
      .digest(),
  );
}

/** Which handoff a leg's or a package's id stands for: the pickup that the shipper signs, or the confirmation of the leg under way. */
async function meantBy(agent: Agent, id: string, own: string) {
  const parcel = await agent.client.getPackage({ packageId: id }).catch((error: unknown) => {
    if (error instanceof LegworkApiError && error.code === 'not_found') return undefined;
    throw error;
  });
  const at = parcel === undefined ? await legAtHand(agent, { leg: id }) : undefined;
  if (at?.kind === 'task') return { legId: id, taskId: at.listing.id, legIndex: at.leg.legIndex, pickup: false };
  const listing = parcel ?? at?.listing;
  const leg = at?.leg ?? legUnderWay(parcel?.swarm ?? null);
  if (listing === undefined || leg === undefined) throw new UserError(`No courier carries package ${id} now.`);
  const isPickup = leg.stage === 'pending' || leg.stage === 'accepted';
  const pickup = isPickup && isCosignedPickup(leg.legIndex, listing.terms) && listing.shipperPubkey === own;
  const nextLegId = listing.swarm?.legs[leg.legIndex + 1]?.id;
  return { legId: leg.id, nextLegId, packageId: listing.id, legIndex: leg.legIndex, pickup };
}

/** The one thing that waits for this key's signature. @throws UsageError when there are several, UserError for none */
async function waiting(agent: Agent): Promise<string> {
  const due = await dueNow(agent.client, await agent.pubkey());
  const ids = due.flatMap(({ act, awaited, legId, packageId }) => {
    if (act === 'take_over' || act === 'receive') return packageId ?? [];
    return act === 'move' && (awaited === 'confirm' || awaited === 'take') ? (legId ?? []) : [];
  });
  const [id, ...others] = new Set(ids);
  if (id === undefined) throw new UserError('No handoff waits for your signature. Name a leg or a package.');
  if (others.length > 0) throw new UsageError(`Several wait for you; name one: ${[id, ...others].join(', ')}`);
  return id;
}

interface Meaning {
  readonly does: string;
  /** The stake that its sender posts, base units. */
  readonly stake: bigint;
  /** The asset that the leg pays in. */
  readonly of: PaidIn;
  readonly at: LegNow;
}

/** The ledger's effect of a handoff now. @throws {TransactionRefusedError} that says why it does not take it */
async function meaningOf(agent: Agent, signer: Address, handoff: Handoff): Promise<Meaning> {
  const { programId, rpcUrl } = await serviceConfig(agent.client);
  const rpc = createSolanaRpc(agent.settings.rpc ?? rpcUrl);
  const at = await requireHandoff(rpc, address(programId), signer, handoff);
  const of = await paidInNamed(agent, at.token?.mint ?? SOL.asset);
  const leg = `leg ${at.index + 1} of ${at.listing}`;
  if (handoff.said === 'picked up') {
    const stake = at.status === LegStatus.Pending && at.terms ? at.terms.stake : 0n;
    const does = `Once ${at.worker} has sent it, ${at.worker} has the parcel for ${leg}. It pays nothing yet.${posts(stake, of)} ${letGoOnce('the leg is shown as carried')}.`;
    return { does, stake, of, at };
  }
  const account = await fetchEncodedAccount(rpc, at.address, { commitment: 'confirmed' });
  const found = account.exists ? decodeRelayAccount(account.data) : undefined;
  if (found?.kind !== 'leg' && found?.kind !== 'taskLeg') throw new TransactionRefusedError(`the ledger has no ${leg}`);
  const amount = formatAmount(toLamports(found.data.paymentLamports), of);
  const pays = `It pays ${amount} for ${leg} to ${at.worker}, for good, as soon as anybody sends it.`;
  const isNoted = handoff.said !== 'accepted' && handoff.noted !== undefined;
  return { does: isNoted ? `${pays} ${NOTED}` : pays, stake: 0n, of, at };
}

const posts = (stake: bigint, of: PaidIn) =>
  stake === 0n ? '' : ` With it ${formatAmount(toLamports(stake), of)} of its sender are staked.`;

const NOTED = 'What is noted stands in the receipt and holds nothing back: the leg is paid in full and ends.';

interface CodeInput {
  /** The code itself, a file that holds it, or `-`. */
  readonly code: string;
}

async function read({ code: given }: CodeInput) {
  const code = given.startsWith('legwork-handoff:') ? given : await textIn(given);
  const read = await readHandoffCode(code.trim());
  if (read !== undefined) return read;
  throw new UsageError(
    'This is no code of a handoff, or somebody altered it: it begins with legwork-handoff: and is signed as a whole.',
  );
}

const WORDS: Readonly<Record<Handoff['said'], string>> = {
  'picked up': 'the first courier has the parcel',
  'taken over': 'the next courier has the parcel',
  received: 'the parcel has arrived',
  accepted: 'the result is right',
};

/** Says what a code says, and what the ledger would do with it now. Needs no key. */
export async function show(agent: Agent, input: CodeInput): Promise<Shown> {
  const { signer, text, handoff } = await read(input);
  const now = await meaningOf(agent, signer, handoff).then(
    ({ does }) => ({ isTaken: true, says: `The ledger takes it now. ${does}` }),
    (error: unknown) => {
      if (!(error instanceof TransactionRefusedError)) throw error;
      return { isTaken: false, says: `The ledger does not take it now: ${error.message}.` };
    },
  );
  const lines = [`Signed by ${signer}: ${WORDS[handoff.said]}.`, now.says, '', text];
  return { data: { signer, text, ...now }, text: lines.join('\n') };
}

/** Sends a handoff that somebody signed, and pays its fee. Safe to repeat. */
export async function send(agent: Agent, input: CodeInput): Promise<Shown> {
  const { handoff, ...signed } = await read(input);
  // A handoff that landed before is found, and the ledger takes it no more.
  const posted = await meaningOf(agent, signed.signer, handoff).catch(() => undefined);
  const { client, signer, rpc } = await sessionStaking(agent, posted?.of ?? SOL, posted?.stake ?? 0n);
  const { signature, leg } = await submitHandoff(client, signer, signed, { rpc });
  const text = `Sent: ${WORDS[handoff.said]} (transaction ${signature})`;
  return { data: { signature, onChainLeg: leg, said: handoff.said }, text };
}
