import { setTimeout as sleep } from 'node:timers/promises';
import type { LedgerRpc } from '../packages/cli/tests/support/wallets.js';
import type { Gate } from './plan.js';

/** The clock of the ledger, which can be moved forward: for deadlines that nobody waits for. */
export class LedgerTime {
  readonly #rpc: LedgerRpc;
  readonly #rpcUrl: string;
  readonly #gate: Gate;
  #last: Promise<unknown> = Promise.resolve();

  constructor(rpc: LedgerRpc, rpcUrl: string, gate: Gate) {
    this.#rpc = rpc;
    this.#rpcUrl = rpcUrl;
    this.#gate = gate;
  }

  /** Runs works that wait for deadlines one after the other: time that passes for one passes for all. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#last;
    const done = before.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** Unix seconds. */
  async now(): Promise<number> {
    const slot = await this.#rpc.getSlot({ commitment: 'confirmed' }).send();
    return Number(await this.#rpc.getBlockTime(slot).send());
  }

  /** How far it is ahead of the true time, in seconds. It asks until the ledger answers. */
  async aheadSec(): Promise<number> {
    for (;;) {
      try {
        return (await this.now()) - Date.now() / 1000;
      } catch {
        await sleep(200);
      }
    }
  }

  /** Lets so many seconds pass. @throws TypeError when the ledger does not answer */
  pass(seconds: number): Promise<void> {
    return this.#gate.pass(() => this.passUnasked(seconds));
  }

  /** As pass, by the one who has closed the gate. */
  async passUnasked(seconds: number): Promise<void> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'relay_advanceTime', params: [{ seconds }] });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(this.#rpcUrl, { method: 'POST', headers, body });
    const { error } = (await answer.json()) as { error?: { message: string } };
    if (error) throw new Error(`relay_advanceTime: ${error.message}`);
  }

  /** Lets time pass until that moment is over, in Unix seconds. */
  async passUntil(moment: number): Promise<void> {
    const left = moment - (await this.now()) + 2;
    if (left > 0) await this.pass(left);
  }
}
