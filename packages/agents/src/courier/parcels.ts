import type { PackageDetail, LegworkEvent } from '@legwork/sdk';
import type { Desk } from '../engine/desk.js';

/** The room that a parcel takes in a vehicle. */
export interface Load {
  readonly kg: number;
  readonly litres: number;
}

/** As the interface wants packages to be polled, milliseconds. */
const LASTS_MS = 10_000;

/** The packages that a courier has to do with: each is read again after an event about it, and from time to time. */
export class Parcels {
  readonly #desk: Pick<Desk, 'session' | 'work' | 'rests' | 'log'>;
  readonly #known = new Map<string, { readonly parcel: PackageDetail; freshUntilMs: number }>();

  constructor(desk: Pick<Desk, 'session' | 'work' | 'rests' | 'log'>) {
    this.#desk = desk;
  }

  hear(event: LegworkEvent): void {
    const known = 'packageId' in event && event.packageId !== undefined && this.#known.get(event.packageId);
    if (known && event.type !== 'BID_STORED') known.freshUntilMs = 0;
  }

  /** The known state of the package is old. */
  renew(packageId: string): void {
    const known = this.#known.get(packageId);
    if (known) known.freshUntilMs = 0;
  }

  /** The package as it is now; undefined while it cannot be read. */
  async now(packageId: string): Promise<PackageDetail | undefined> {
    const known = this.#known.get(packageId);
    const key = `read:${packageId}`;
    const nowMs = Date.now();
    if (known && known.freshUntilMs > nowMs) return known.parcel;
    if (this.#desk.rests.isResting(key, nowMs)) return undefined;
    try {
      const parcel = await this.#desk.session.client.getPackage({ packageId });
      this.#known.set(packageId, { parcel, freshUntilMs: nowMs + LASTS_MS });
      this.#desk.rests.ended(key);
      return parcel;
    } catch (error) {
      const isNews = this.#desk.rests.failed(key, error, nowMs);
      if (isNews) this.#desk.log.warn({ package: packageId }, `package ${packageId} cannot be read: ${String(error)}`);
      return undefined;
    }
  }

  /** The room that these packages take in a vehicle together; undefined while one of them cannot be read. */
  async loadOf(packageIds: ReadonlySet<string>): Promise<Load | undefined> {
    let load: Load = { kg: 0, litres: 0 };
    for (const id of packageIds) {
      // The terms of a package never change.
      const parcel = this.#desk.work.package(id) ?? this.#known.get(id)?.parcel ?? (await this.now(id));
      if (!parcel) return undefined;
      load = { kg: load.kg + parcel.weightKg, litres: load.litres + parcel.volumeLitres };
    }
    return load;
  }

  /** Forgets all others. */
  keep(packageIds: ReadonlySet<string>): void {
    for (const id of this.#known.keys()) if (!packageIds.has(id)) this.#known.delete(id);
  }
}
