import type { ClientBase } from 'pg';

export function fill(
  client: Pick<ClientBase, 'query'>,
  sizes: { packages: number; tasks: number; agents: number },
  tell: (step: string) => void,
): Promise<void>;
