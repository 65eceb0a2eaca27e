// JSON-RPC as bytes on the wire: nothing here knows what a right answer is.

/** Posts a body, an object or text, and returns status and answer: JSON, or the text itself where it is none. */
export async function post(target, body) {
  const response = await fetch(target.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body, bareBigints),
  });
  const text = await response.text();
  return { status: response.status, answer: parsed(text) };
}

/** The answer to one call: `{ result }` or `{ error }`. */
export async function call(target, method, params = []) {
  const { answer } = await post(target, { jsonrpc: '2.0', id: 1, method, params });
  if (typeof answer !== 'object' || answer === null) return { error: { code: 0, message: String(answer) } };
  return answer.error === undefined ? { result: answer.result } : { error: answer.error };
}

/** The result of a call that must succeed. */
export async function ask(target, method, params = []) {
  const { result, error } = await call(target, method, params);
  if (error !== undefined) throw new Error(`${target.name}: ${method}: ${error.code} ${error.message}`);
  return result;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function bareBigints(_, value) {
  return typeof value === 'bigint' ? Number(value) : value;
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Asks until the answer is not undefined. @throws Error after `seconds` */
export async function until(what, ask, seconds = 40) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const found = await ask();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(`${what} did not happen within ${seconds} s`);
    await pause(25);
  }
}
