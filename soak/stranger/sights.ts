import type { DigitalTaskView, PackageView, LegworkClient } from '@legwork/sdk';
import { below, type Random } from '../plan.js';
import { STRANGE } from './calls.js';
import type { Calls } from './calls.js';

/** Reads all that anybody can read now and then, and remembers it. */
export class Sights {
  readonly #calls: Calls;
  #packages: readonly PackageView[] = [];
  #tasks: readonly DigitalTaskView[] = [];

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  async look(): Promise<void> {
    const read = async (client: LegworkClient) => {
      this.#packages = (await client.listPackages({ limit: 100 })).items;
      this.#tasks = (await client.listDigitalTasks({ limit: 100 })).items;
    };
    await this.#calls.ask('read what is posted', () => read(this.#calls.clientOf()));
  }

  /** A package of the honest with such a status. */
  package(status: PackageView['status'], random: Random): PackageView | undefined {
    const found = this.#packages.filter((one) => one.status === status && one.description !== STRANGE);
    return found[below(found.length, random)];
  }

  /** A task of the honest that is not over. */
  task(random: Random): DigitalTaskView | undefined {
    const found = this.#tasks.filter(
      ({ status, title }) => (status === 'listed' || status === 'in_progress') && title !== STRANGE,
    );
    return found[below(found.length, random)];
  }
}
