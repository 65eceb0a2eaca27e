/** An account as the engine holds it. Lamports and rent epoch are unsigned 64-bit integers. */
export type Account = {
  readonly lamports: bigint;
  readonly data: Uint8Array;
  readonly owner: Uint8Array;
  readonly executable: boolean;
  readonly rentEpoch: bigint;
};

/** The rent epoch of every rent-exempt account. */
export const RENT_EXEMPT_EPOCH = 18_446_744_073_709_551_615n;

export const SYSTEM_PROGRAM = new Uint8Array(32);

export function isSame(one: Account | undefined, other: Account | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return (
    one.lamports === other.lamports &&
    one.executable === other.executable &&
    one.rentEpoch === other.rentEpoch &&
    Buffer.compare(one.owner, other.owner) === 0 &&
    Buffer.compare(one.data, other.data) === 0
  );
}
