import type { Answers } from '../answers.mjs';
import type { Target } from '../targets.mjs';

export function clientAnswers(target: Target, tools: object, only?: readonly string[]): Promise<Answers>;
