import type { Row } from './verdict.mjs';

export function markdownOf(rows: readonly Row[]): string;
