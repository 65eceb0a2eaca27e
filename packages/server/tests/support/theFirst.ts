/** The first element of a list that must have one. */
export function theFirst<T>(items: readonly T[]): T {
  const [first] = items;
  if (first === undefined) throw new Error('the list is empty');
  return first;
}
