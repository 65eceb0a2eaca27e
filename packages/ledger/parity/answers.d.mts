import type { Target } from './targets.mjs';

export type Answers = Readonly<Record<string, Readonly<Record<string, unknown>>>>;
export type Gaps = Readonly<Record<string, 'absent' | Readonly<Record<string, readonly string[]>>>>;

export function answersOf(target: Target, salt: string): Promise<{ readonly answers: Answers }>;
