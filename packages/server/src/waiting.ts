/** The answer, if it comes within `ms` milliseconds. @throws Error that says it did not, or what the answer failed with */
export async function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  let bound: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    bound = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(bound);
  }
}

/** The answer, if it comes before the signal, if any, is aborted. @throws the signal's reason, or what the answer failed with */
export function unless<T>(givenUp: AbortSignal | undefined, answer: Promise<T>): Promise<T> {
  if (givenUp === undefined) return answer;
  return new Promise((resolve, reject) => {
    const abort = () => reject(givenUp.reason as Error);
    if (givenUp.aborted) abort();
    givenUp.addEventListener('abort', abort, { once: true });
    void answer.then(resolve, reject).finally(() => givenUp.removeEventListener('abort', abort));
  });
}
