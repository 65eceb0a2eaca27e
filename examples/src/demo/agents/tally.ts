import { followEvents, formatSol } from '@legwork/sdk';
import type { LegworkEvent } from '@legwork/sdk';

const TOPICS = [
  'LEG_ACCEPTED',
  'LEG_VACATED',
  'LEG_REPLACED',
  'LEG_CLAIMED',
  'LEG_DISPUTED',
  'LEG_RULED',
  'PACKAGE_DELIVERED',
] as const;

/** The outcomes of packages with terms, by the events of the service. */
export class Tally {
  readonly #count = new Map<LegworkEvent['type'], number>();
  readonly #replaced = new Set<string>();
  #healed = 0;
  #lost = 0;
  #forfeitedLamports = 0n;
  #ruledAgainst = 0;

  /** Counts until the signal. */
  async follow(url: string, done: AbortSignal): Promise<void> {
    for await (const event of followEvents({ url, topics: TOPICS, signal: done })) this.#take(event);
  }

  #take(event: LegworkEvent): void {
    this.#count.set(event.type, this.#of(event.type) + 1);
    if (event.type === 'LEG_REPLACED') this.#replaced.add(event.packageId ?? '');
    if (event.type === 'PACKAGE_DELIVERED' && this.#replaced.has(event.packageId)) this.#healed += 1;
    if (event.type === 'LEG_RULED' && event.percent === 0) this.#ruledAgainst += 1;
    if (event.type !== 'LEG_VACATED' || !event.forfeitedLamports) return;
    this.#lost += 1;
    this.#forfeitedLamports += event.forfeitedLamports;
  }

  #of = (type: LegworkEvent['type']) => this.#count.get(type) ?? 0;

  get delivered(): number {
    return this.#of('PACKAGE_DELIVERED');
  }

  get lines(): string[] {
    const vacated = this.#of('LEG_VACATED');
    return [
      `delivered   ${this.delivered} packages, ${this.#healed} of them by another courier than first agreed`,
      `healed      ${this.#of('LEG_REPLACED')} legs given to another courier`,
      `vacated     ${vacated} legs: ${this.#lost} with the loss of a stake, ${formatSol(this.#forfeitedLamports)} SOL together`,
      `ruled       ${this.#of('LEG_RULED')} of ${this.#of('LEG_DISPUTED')} disputes, ${this.#ruledAgainst} against the courier; ` +
        `${this.#of('LEG_CLAIMED')} claims in all`,
      `staked      ${this.#of('LEG_ACCEPTED')} legs`,
    ];
  }
}
