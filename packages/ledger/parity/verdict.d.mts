import type { Answers, Gaps } from './answers.mjs';

export type Difference = {
  readonly label: string;
  readonly differences: readonly string[];
  readonly why?: string;
  readonly byChance?: boolean;
};
export type Row = {
  readonly method: string;
  readonly isAbsent: boolean;
  readonly calls: number;
  readonly equal: number;
  readonly declared: readonly Difference[];
  readonly gaps: readonly Difference[];
  readonly undeclared: readonly Difference[];
  readonly closed: readonly Difference[];
};

export function judge(ours: Answers, theirs: Answers, gaps: Gaps): Row[];
