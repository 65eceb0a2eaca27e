import { setTimeout as sleep } from 'node:timers/promises';
import { bidChances, chancesInWords, type Session } from '@legwork/agents';
import { legUnderWay, shipperSigns, letGoOnce } from '@legwork/protocol/rules';
import { formatAmount, type PackageDetail, receive, LegworkNetworkError, signPickup } from '@legwork/sdk';
import { askAtTerminal } from '../daemon/askAtTerminal.js';
import { messageOf } from '../screen.js';
import type { Agent } from './agent.js';
import { minuteOf, type Shown } from './output.js';

const LOOK_EVERY_MS = 2_000;
/** So long nobody may bid before it is said why; then after twice as long, and so on, milliseconds. */
const SILENCE_MS = 60_000;
/** A person who said no is not asked at once, milliseconds. */
const ASK_AGAIN_MS = 120_000;

const never = new AbortController().signal;

/** Follows a package of this key to its end: says why nobody bids and what happens, and asks the person to sign in their turn. */
export async function* untilEnded(agent: Agent, session: Session, packageId: string): AsyncGenerator<Shown> {
  const silence = new Silence();
  const signing = new Signing(agent, session);
  let last = '';
  for (;;) {
    const parcel = await read(agent, packageId);
    const said = parcel instanceof LegworkNetworkError ? messageOf(parcel) : wordsOf(parcel);
    if (said !== last) yield { data: { packageId, said }, text: said };
    last = said;
    if (!(parcel instanceof LegworkNetworkError)) {
      if (parcel.status === 'delivered' || parcel.status === 'failed') return;
      if (silence.isNews(parcel, Date.now())) {
        const chances = await bidChances(agent.client, parcel);
        yield { data: { packageId, ...chances }, text: chancesInWords(chances) };
      }
      const signed = await signing.step(parcel);
      if (signed !== undefined) yield signed;
    }
    await sleep(LOOK_EVERY_MS);
  }
}

async function read({ client }: Agent, packageId: string): Promise<PackageDetail | LegworkNetworkError> {
  try {
    return await client.getPackage({ packageId });
  } catch (error) {
    if (error instanceof LegworkNetworkError) return error;
    throw error;
  }
}

function wordsOf({ status, failureReason, bids, refund, swarm, ...of }: PackageDetail): string {
  if (status === 'delivered' || status === 'failed') {
    return `It is ${failureReason ?? status}; ${refund === null ? 'nothing' : formatAmount(refund, of)} came back.`;
  }
  const leg = legUnderWay(swarm);
  if (leg === undefined)
    return bids === 0 ? 'Waiting for bids.' : `${bids} ${bids === 1 ? 'bid is' : 'bids are'} there.`;
  const clock = leg.until ? `, until ${minuteOf(leg.until)}` : '';
  return `Leg ${leg.legIndex + 1} of ${swarm?.totalLegs} is ${leg.stage ?? 'under way'}${clock}; its courier is ${leg.agentPubkey}.`;
}

/** Since when nobody bids, and whether it is time to say so. */
class Silence {
  #sinceMs = Date.now();
  #afterMs = SILENCE_MS;

  isNews({ status, bids }: PackageDetail, nowMs: number): boolean {
    if (status !== 'listed' || bids > 0) {
      this.#sinceMs = nowMs;
      return false;
    }
    if (nowMs - this.#sinceMs < this.#afterMs) return false;
    this.#afterMs *= 2;
    return true;
  }
}

const LET_GO = `${letGoOnce('it is said here that leg 1 is carried')}.`;

interface Signature {
  readonly question: string;
  readonly command: string;
  /** @returns the deed, in words; undefined: the other side has to sign first */
  readonly sign: () => Promise<string | undefined>;
}

/** The shipper's signatures: that the parcel was picked up, where its terms want that, and that it arrived. */
class Signing {
  readonly #ask = askAtTerminal();
  /** When a person is asked again, by the question; who said yes is not asked again. */
  readonly #nextMs = new Map<string, number>();
  #done: string | undefined;
  readonly #agent: Agent;
  readonly #session: Session;

  constructor(agent: Agent, session: Session) {
    this.#agent = agent;
    this.#session = session;
  }

  async step(parcel: PackageDetail): Promise<Shown | undefined> {
    const due = this.#due(parcel);
    if (due === undefined) return undefined;
    const said = (text: string): Shown => ({ data: { packageId: parcel.id, text }, text });
    if (!this.#ask) {
      if (this.#nextMs.has(due.question)) return undefined;
      this.#nextMs.set(due.question, Infinity);
      return said(`${due.question} If so, sign it: ${due.command}`);
    }
    const isAnswered = this.#nextMs.get(due.question) === Infinity;
    if (!isAnswered) {
      if ((this.#nextMs.get(due.question) ?? 0) > Date.now()) return undefined;
      const isSo = await this.#ask(due.question, never);
      this.#nextMs.set(due.question, isSo ? Infinity : Date.now() + ASK_AGAIN_MS);
      if (!isSo) return undefined;
    }
    const done = await due.sign().catch((error: unknown) => {
      this.#nextMs.set(due.question, Date.now() + ASK_AGAIN_MS);
      return `Not signed: ${messageOf(error)}`;
    });
    // A handoff signed as a text is found again until the courier has sent it.
    if (done === undefined || done === this.#done) return undefined;
    this.#done = done;
    return said(done);
  }

  #due(parcel: PackageDetail): Signature | undefined {
    const due = shipperSigns(parcel);
    if (due === undefined) return undefined;
    const { client, signer, rpc } = this.#session;
    const { id: packageId } = parcel;
    const { id: legId, agentPubkey, agreedPayment: pays } = due.leg;
    if (due.what === 'pickup') {
      const meant = { legId, packageId };
      return {
        question: `Is ${agentPubkey} here to fetch the parcel? Yes signs that it has it, and pays nothing yet.`,
        command: this.#agent.command(`move take ${legId}`),
        sign: async () => {
          const { made, code } = await signPickup(client, signer, meant, { rpc });
          if (made !== undefined) return 'Signed: the leg is carried.';
          return code && `Signed. ${agentPubkey} finds this, and sends it at once:\n${code}\n${LET_GO}`;
        },
      };
    }
    const receiving = () => receive(client, signer, { packageId, evenBeforePickup: true }, { rpc });
    return {
      question: `Is the parcel of ${agentPubkey} here? Yes pays ${formatAmount(pays, parcel)}, for good.`,
      command: this.#agent.command(`handoff ${packageId}`),
      sign: async () => `Received: transaction ${(await receiving()).signature}`,
    };
  }
}
