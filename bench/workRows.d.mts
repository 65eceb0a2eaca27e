import type { ClientBase } from 'pg';

export const CITIES: readonly { readonly lat: number; readonly lng: number }[];
export function wordAt(share: number): string;
export function fillWork(
  client: Pick<ClientBase, 'query'>,
  count: number,
  marksOf: (word: string) => Promise<readonly string[]>,
  tell: (step: string) => void,
): Promise<void>;
