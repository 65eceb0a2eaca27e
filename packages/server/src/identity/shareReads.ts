/**
 * Reads that are asked for while one is under way share the one after it: nobody is given what is older than the question, and
 * however many ask at once, one read at a time answers them.
 */
export function shareReads<T>(read: () => Promise<T>): () => Promise<T> {
  let current: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  const begin = () => {
    next = undefined;
    const begun = read();
    current = begun;
    return begun;
  };
  return () => {
    next ??= current.then(begin, begin);
    return next;
  };
}
