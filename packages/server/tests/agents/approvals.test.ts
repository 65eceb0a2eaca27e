import { policySchema } from '@legwork/agents';
import { openBridge } from '@legwork/agents/bridge';
import { InMemoryTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { draft } from '../support/market.js';
import { withService } from '../support/service.js';
import { fundedKey } from './bridgeClient.js';

const service = withService();
const PARCEL = { ...draft({ maxBudgetSol: 0.1 }) };
const YES = { allow: { action: 'accept', content: { allow: true } } };

/** The answer of a bridge as it comes. */
interface Told {
  readonly error?: { readonly code: number };
  readonly result?: {
    readonly resultType?: string;
    readonly requestState?: string;
    readonly inputRequests?: Readonly<Record<string, { readonly method: string }>>;
    readonly content?: readonly { readonly text: string }[];
  };
}

/** A client of the newest revision that sends what it likes: calls, and answers of a person that nobody gave. */
async function forgingClient() {
  const owner = await fundedKey(service.current);
  const limits = { perTransaction: 0.05, perDay: 1, inAll: 1 };
  const bridge = await openBridge(policySchema.parse({ key: owner.key, service: service.current.server.url, limits }));
  const [theirs, ours] = InMemoryTransport.createLinkedPair();
  bridge.serve(() => undefined, ours);
  onTestFinished(() => bridge.close());
  const waiting = new Map<number, (told: Told) => void>();
  Object.assign(theirs, { onmessage: (message: Told & { id: number }) => waiting.get(message.id)?.(message) });
  await theirs.start();
  let id = 0;
  const post = (args: object, more: object = {}) => {
    id += 1;
    const told = new Promise<Told>((resolve) => waiting.set(id, resolve));
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'forger', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
    };
    const params = { name: 'post_package', arguments: args, _meta, ...more };
    void theirs.send({ jsonrpc: '2.0', id, method: 'tools/call', params });
    return told;
  };
  const codeOf = ({ result }: Told) => (JSON.parse(result?.content?.[0]?.text ?? '{}') as { code?: string }).code;
  const signed = async () => (await owner.journal()).filter(({ kind }) => kind === 'signed').length;
  return { post, codeOf, signed };
}

test('a yes counts once, for the call that it was given for, and for no other (A-75)', async () => {
  const { post, codeOf, signed } = await forgingClient();
  const { result } = await post(PARCEL);
  expect(result).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) });
  const { requestState } = result ?? {};
  expect(codeOf(await post({ ...PARCEL, maxBudgetSol: 0.9 }, { requestState, inputResponses: YES }))).toBe(
    'question_closed',
  );
  // That was the one answer: the question is closed for the right call, too.
  expect(codeOf(await post(PARCEL, { requestState, inputResponses: YES }))).toBe('question_closed');
  expect(await signed()).toBe(0);

  const again = (await post(PARCEL)).result?.requestState;
  expect(codeOf(await post(PARCEL, { requestState: again, inputResponses: YES }))).toBeUndefined();
  expect(codeOf(await post(PARCEL, { requestState: again, inputResponses: YES }))).toBe('question_closed');
  expect(await signed()).toBe(1);
});

test.for([
  ['that was not asked for', { inputResponses: YES }],
  ['to a question of its own', { requestState: 'mine', inputResponses: YES }],
] as const)('a yes %s is none (A-75)', async ([, more]) => {
  const { post, codeOf, signed } = await forgingClient();
  const told = await post(PARCEL, more);
  expect([codeOf(told), told.result?.resultType]).toContain(
    'requestState' in more ? 'question_closed' : 'input_required',
  );
  expect(await signed()).toBe(0);
});

test.for([
  ['without the tick', { allow: { action: 'accept', content: {} } }],
  ['with another word', { allow: { action: 'accept', content: { allow: 'true' } } }],
  ['that is a no', { allow: { action: 'decline' } }],
  ['of another kind', { allow: { roots: [] } }],
  ['to something else', { key: { action: 'accept', content: { allow: true } } }],
] as const)('an answer %s is not a yes (A-75)', async ([, inputResponses]) => {
  const { post, codeOf, signed } = await forgingClient();
  const { requestState } = (await post(PARCEL)).result ?? {};
  expect(codeOf(await post(PARCEL, { requestState, inputResponses }))).toBe('not_allowed');
  expect(await signed()).toBe(0);
});

test('of many questions only the newest stay open (A-75)', async () => {
  const { post, codeOf, signed } = await forgingClient();
  const first = (await post(PARCEL)).result?.requestState;
  const last: Told[] = [];
  for (let asked = 0; asked < 20; asked += 1) last.push(await post({ ...PARCEL, weightKg: 1 + asked }));
  expect(codeOf(await post(PARCEL, { requestState: first, inputResponses: YES }))).toBe('question_closed');
  const requestState = last.at(-1)?.result?.requestState;
  expect(codeOf(await post({ ...PARCEL, weightKg: 20 }, { requestState, inputResponses: YES }))).toBeUndefined();
  expect(await signed()).toBe(1);
});
