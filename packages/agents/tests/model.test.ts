import { readFile } from 'node:fs/promises';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Journal } from '../src/index.js';
import { createModel, ModelError, TokensUsed } from '../src/model/model.js';
import { KEY, keyInEnvironment, modelAt, newJournal } from './support/modelAt.js';
import {
  answers,
  type Behaviour,
  bomb,
  endless,
  halfSaid,
  hangsUp,
  says,
  silent,
  startModelServer,
} from './support/modelServer.js';

const question = { system: 'You count.', user: 'One, two?', maxTokens: 50, timeoutMs: 60_000 };
const alive = new AbortController().signal;

const failing = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a model', () => {
  test('is asked over HTTP with the key of the environment, and its thinking is left out (A-50)', async () => {
    const server = await startModelServer(says('<think>\nOne, two: 3!\n</think>\n\nThree. '));
    const { model } = await modelAt(`${server.url}/v1`);
    expect(await model.ask(question, alive)).toBe('Three.');
    const [asked] = server.asked;
    expect(asked?.path).toBe('/v1/chat/completions');
    expect(asked?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(JSON.parse(asked?.body ?? '')).toEqual({
      model: 'qwen3',
      max_tokens: 50,
      messages: [
        { role: 'system', content: 'You count.' },
        { role: 'user', content: 'One, two?' },
      ],
    });
  });

  test.each<[string, Behaviour, RegExp]>([
    ['silent', silent, /no whole answer within 0.2 s/],
    ['silent in the middle', halfSaid, /no whole answer within 0.2 s/],
    ['endless', endless, /more than 1048576 bytes/],
    ['a gzip bomb', bomb, /more than 1048576 bytes/],
    ['gone in the middle', hangsUp, /no answer \(/],
    [
      'refusing the key, which it repeats',
      answers(401, `wrong key ${KEY}`),
      /refuses the key \(HTTP 401\); see MODEL_KEY_/,
    ],
    ['without that model', answers(404, 'no'), /HTTP 404: either it has no model qwen3, or model.url is wrong/],
    ['overloaded', answers(503, KEY), /HTTP 503$/],
    ['sending elsewhere', answers(307, '', { location: 'http://127.0.0.1:1/' }), /HTTP 307$/],
    ['no JSON', answers(200, 'Hello!'), /no chat completion/],
    ['nested beyond measure', answers(200, '['.repeat(500_000)), /no chat completion/],
    ['no UTF-8', answers(200, Buffer.from([0xc3, 0x28])), /not UTF-8/],
    ['another form', answers(200, '{"choices":[{"text":"Three."}]}'), /no chat completion|empty/],
    ['no choice', answers(200, '{"choices":[]}'), /no chat completion/],
    ['empty', says(' \n'), /its answer is empty/],
    ['without content', says(null), /its answer is empty/],
    ['only thinking', says('<think>One, two'.padEnd(200, '.'), { finish_reason: 'length' }), /cut off/],
  ])('that is %s fails in time, once, and its key is not told (A-50)', async (_, behaviour, why) => {
    const server = await startModelServer(behaviour);
    const { model } = await modelAt(server.url);
    const timeoutMs = behaviour === silent || behaviour === halfSaid ? 200 : 60_000;
    const error = await failing(model.ask({ ...question, timeoutMs }, alive));
    expect(error).toBeInstanceOf(ModelError);
    expect(String(error)).toMatch(why);
    expect(`${String(error)} ${JSON.stringify(error)} ${(error as Error).stack}`).not.toContain(KEY);
    expect((error as Error).cause).toBeUndefined();
    expect(server.asked).toHaveLength(1);
    // Nobody goes on listening.
    await expect.poll(server.open).toBe(0);
  });

  test('that is gone, or whose address holds a password, fails without telling it (A-50)', async () => {
    const server = await startModelServer(silent);
    server.stop();
    const { model, used } = await modelAt(server.url);
    expect(String(await failing(model.ask(question, alive)))).toMatch(/no answer \(ECONNREFUSED\)/);
    expect(used()).toBe(0);
    const secretive = await modelAt('http://ada:hunter2@127.0.0.1:9/v1');
    expect(String(await failing(secretive.model.ask(question, alive)))).not.toContain('hunter2');
  });

  test('without its key, or with one that is none, is refused at once and without telling it (A-50)', async () => {
    await expect(modelAt('http://127.0.0.1:9', { keyEnv: 'NO_SUCH_KEY' })).rejects.toThrow(/NO_SUCH_KEY, which/);
    const error = await failing(modelAt('http://127.0.0.1:9', { keyEnv: keyInEnvironment('sk-a\nx-evil: 1') }));
    expect(String(error)).toMatch(/holds no key/);
    expect(String(error)).not.toContain('evil');
  });

  test('is no longer waited for when the daemon stops (A-50)', async () => {
    const server = await startModelServer(silent);
    const { model } = await modelAt(server.url);
    const stop = new AbortController();
    const asking = failing(model.ask(question, stop.signal));
    await expect.poll(() => server.asked.length).toBe(1);
    stop.abort(new Error('stopped'));
    expect(await asking).toBe(stop.signal.reason);
    await expect.poll(server.open).toBe(0);
    expect(await failing(model.ask(question, stop.signal))).toBe(stop.signal.reason);
    expect(server.asked).toHaveLength(1);
  });

  test('that wants the bound of its answer under the newer name gets it so, from then on (A-50)', async () => {
    const server = await startModelServer((response, asked) => {
      const isNew = 'max_completion_tokens' in (JSON.parse(asked.body) as object);
      const refusal = answers(
        400,
        "'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      );
      (isNew ? says('Three.') : refusal)(response, asked);
    });
    const { model } = await modelAt(server.url);
    expect([await model.ask(question, alive), await model.ask(question, alive)]).toEqual(['Three.', 'Three.']);
    expect(server.asked).toHaveLength(3);
  });
});

describe('the tokens of a day', () => {
  test('are counted as the server says or by the characters, whichever is more (A-51)', async () => {
    const server = await startModelServer(says('Three.', { usage: { prompt_tokens: 100, completion_tokens: 20 } }));
    const { model, used } = await modelAt(server.url);
    await model.ask(question, alive);
    expect(used()).toBe(120);
    server.control.behaviour = says('Three.', { usage: { prompt_tokens: 0, completion_tokens: 0 } });
    await model.ask(question, alive);
    const characters = question.system.length + question.user.length + 'Three.'.length;
    expect(used()).toBe(120 + Math.ceil(characters / 4));
    server.control.behaviour = says('Three.', { usage: { prompt_tokens: -1, completion_tokens: 'all' } });
    await model.ask(question, alive);
    expect(used()).toBe(120 + 2 * Math.ceil(characters / 4));
  });

  test('are counted whole when no answer came, and not at all when it was refused (A-51)', async () => {
    const server = await startModelServer(silent);
    const { model, used } = await modelAt(server.url);
    await failing(model.ask({ ...question, timeoutMs: 50 }, alive));
    const whole = used();
    expect(whole).toBeGreaterThan(question.maxTokens);
    server.control.behaviour = answers(429, '');
    await failing(model.ask(question, alive));
    expect(used()).toBe(whole);
  });

  test('are never passed, however many processes ask at once and whatever fails, also after a restart (A-51)', async () => {
    let charged = 0;
    const server = await startModelServer((response, asked) => {
      const { max_tokens: max } = JSON.parse(asked.body) as { max_tokens: number };
      const usage = { prompt_tokens: 60, completion_tokens: max % 3 === 0 ? max : Math.floor(max / 2) };
      charged += usage.prompt_tokens + usage.completion_tokens;
      (max % 5 === 0 ? hangsUp : says('x', { usage }))(response, asked);
    });
    const agentOf = async (file: string, tokensPerDay: number) => {
      const used = new TokensUsed();
      const journal = await Journal.open(file, [used]);
      return {
        used,
        journal,
        model: createModel({ url: server.url, name: 'x', tokensPerDay, timeoutSec: 10 }, journal, used),
      };
    };
    const rounds = fc.array(fc.array(fc.nat({ max: 200 }), { minLength: 1, maxLength: 6 }), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(rounds, fc.integer({ min: 0, max: 1_500 }), async (asks, tokensPerDay) => {
        charged = 0;
        const file = await newJournal();
        for (const atOnce of asks) {
          // As of two processes with the same key.
          const agents = await Promise.all([agentOf(file, tokensPerDay), agentOf(file, tokensPerDay)]);
          const ask = (maxTokens: number, index: number) =>
            failing(agents[index % 2]?.model.ask({ ...question, maxTokens }, alive) ?? Promise.resolve());
          await Promise.all(atOnce.map(ask));
          for (const { journal, used } of agents) {
            expect(used.ofLastDay(Date.now())).toBeLessThanOrEqual(tokensPerDay);
            await journal.close();
          }
        }
        expect(charged).toBeLessThanOrEqual(tokensPerDay);
      }),
      { numRuns: 25 },
    );
  });

  test('that are used up are told, and nobody is asked (A-51)', async () => {
    const server = await startModelServer(says('Three.'));
    const { model } = await modelAt(server.url, { tokensPerDay: 100 });
    expect(String(await failing(model.ask(question, alive)))).toMatch(
      /0 tokens are used, and 169 more may be, but model.tokensPerDay is 100/,
    );
    expect(server.asked).toHaveLength(0);
  });

  test('are free again after 24 hours, an answer as its ask (A-51)', () => {
    const used = new TokensUsed();
    const at = (hour: number) => new Date(Date.UTC(2026, 0, 1, hour)).toISOString();
    const hour = (hours: number) => Date.UTC(2026, 0, 1, hours);
    used.take({ kind: 'tokens', at: at(0), ask: 'a', tokens: 500 });
    used.take({ kind: 'tokens', at: at(1), ask: 'a', tokens: 100 });
    used.take({ kind: 'tokens', at: at(2), ask: 'b', tokens: 30 });
    expect([hour(3), hour(23), hour(24), hour(26)].map((now) => used.ofLastDay(now))).toEqual([130, 130, 30, 0]);
  });

  test('hold neither the key nor a word of what was said in the journal (A-51)', async () => {
    const server = await startModelServer(says('Three.'));
    const file = await newJournal();
    const { model } = await modelAt(server.url, { file });
    await model.ask(question, alive);
    const written = await readFile(file, 'utf8');
    expect(written.trim().split('\n')).toHaveLength(2);
    for (const word of [KEY, 'Three', 'count']) expect(written).not.toContain(word);
  });
});
