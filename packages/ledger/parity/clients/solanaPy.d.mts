import type { Answers } from '../answers.mjs';

export function answersIn(report: string): Answers[string];
