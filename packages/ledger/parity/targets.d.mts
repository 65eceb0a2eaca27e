export type Target = {
  readonly name: string;
  readonly rpcUrl: string;
  readonly wsUrl: string;
  readonly patience: number;
  readonly nextSlot: (slot: number) => Promise<unknown>;
  readonly settle: (slot: number) => Promise<unknown>;
};

export function ledgerAt(urls: { readonly rpcUrl: string; readonly wsUrl: string }): Target;
