/** A part of an account's data that a transaction changed; bytes in hex, of long parts the first ones. */
export interface ChangedBytes {
  readonly offset: number;
  readonly length: number;
  readonly before: string;
  readonly after: string;
}

/** A field of an account by its name, such as `tokenAmount.amount`; undefined: it was, or is, not there. */
export interface ChangedField {
  readonly name: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** How a transaction changed an account other than in its lamports, which its balances tell. */
export interface AccountChange {
  readonly account: string;
  /** Owner and size in bytes, among others, and the fields of data that the node can read. */
  readonly fields: readonly ChangedField[];
  /** Of data that the node cannot read. */
  readonly bytes: readonly ChangedBytes[];
}

/** What only a ledger of Legwork tells of a transaction. Rule L-91. */
export interface TransactionTrace {
  /** Undefined: what accounts held before it is no longer known. */
  readonly changes: readonly AccountChange[] | undefined;
  /** How one that failed runs again on the accounts as they were; undefined: it did not fail, or they are no longer known. */
  readonly replay: { readonly error: unknown; readonly logs: readonly string[] } | undefined;
}

const ANSWER_WITHIN_MS = 10_000;

/** Asks a node what a transaction changed. @returns undefined when it is a node that does not tell, or knows no such transaction */
export async function readTrace(rpcUrl: string, signature: string): Promise<TransactionTrace | undefined> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'relay_traceTransaction', params: [signature] });
  const waiting = new AbortController();
  const late = setTimeout(() => waiting.abort(), ANSWER_WITHIN_MS);
  try {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(rpcUrl, { method: 'POST', headers, body, signal: waiting.signal });
    const { result } = (await response.json()) as { readonly result?: unknown };
    return isRecord(result) ? traceIn(result) : undefined;
  } catch {
    return undefined;
  } finally {
    clearTimeout(late);
  }
}

function traceIn({ accounts, replay }: Fields): TransactionTrace {
  const changes = Array.isArray(accounts) ? accounts.filter(isRecord).map(changeIn) : undefined;
  const logs = isRecord(replay) && Array.isArray(replay['logs']) ? replay['logs'].map(String) : undefined;
  return {
    changes: changes?.filter(({ fields, bytes }) => fields.length + bytes.length > 0),
    replay: isRecord(replay) && logs !== undefined ? { error: replay['err'] ?? null, logs } : undefined,
  };
}

function changeIn({ pubkey, before, after, dataChanges }: Fields): AccountChange {
  const [former, latter] = [fieldsIn(before), fieldsIn(after)];
  const names = [...new Set([...former.keys(), ...latter.keys()])];
  const fields = names
    .map((name) => ({ name, before: former.get(name), after: latter.get(name) }))
    .filter((field) => field.before !== field.after);
  const isParsed = [before, after].some((one) => isRecord(one) && isRecord(one['data']));
  const bytes = isParsed || !Array.isArray(dataChanges) ? [] : dataChanges.filter(isRecord).map(bytesIn);
  return { account: String(pubkey), fields, bytes };
}

function bytesIn({ offset, length, before, after }: Fields): ChangedBytes {
  const hex = (text: unknown): string =>
    Array.from(atob(String(text)), (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('');
  return { offset: Number(offset), length: Number(length), before: hex(before), after: hex(after) };
}

/** Of an account: who owns it, how large it is, and what its data says. */
function fieldsIn(account: unknown): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  if (!isRecord(account)) return fields;
  const data = isRecord(account['data']) ? account['data']['parsed'] : undefined;
  add('owner', account['owner'], fields);
  add('space', account['space'], fields);
  if (account['executable'] === true) add('executable', true, fields);
  add('', isRecord(data) ? data['info'] : data, fields);
  return fields;
}

function add(name: string, value: unknown, to: Map<string, string>): void {
  if (value === undefined || value === null) return;
  if (typeof value === 'string') to.set(name, value);
  else if (typeof value !== 'object') to.set(name, JSON.stringify(value));
  else for (const [field, one] of Object.entries(value)) add(name === '' ? field : `${name}.${field}`, one, to);
}

type Fields = Readonly<Record<string, unknown>>;

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
