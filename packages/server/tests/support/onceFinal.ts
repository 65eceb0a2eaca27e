const BEFORE = '"finality":"confirmed"';
const AFTER = '"finality":"final"';

/** The answer as it will be once everything in it is final, which comes by itself. Text may hold an answer as JSON. */
export function onceFinal<T>(answer: T): T;
export function onceFinal(answer: unknown): unknown {
  if (typeof answer === 'string') return answer.replaceAll(BEFORE, AFTER);
  if (Array.isArray(answer)) return answer.map((one) => onceFinal<unknown>(one));
  if (answer === null || typeof answer !== 'object' || answer instanceof Date) return answer;
  const fields = Object.entries(answer).map(([name, value]: [string, unknown]) =>
    name === 'finality' && value === 'confirmed' ? [name, 'final'] : [name, onceFinal(value)],
  );
  return Object.fromEntries(fields);
}
