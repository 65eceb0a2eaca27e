import type { Answers, Gaps } from './answers.mjs';

export function readRecorded(): { readonly salt: string; readonly answers: Answers };
export function readGaps(): Gaps;
