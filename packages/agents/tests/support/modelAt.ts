import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Journal } from '../../src/index.js';
import { createModel, TokensUsed } from '../../src/model/model.js';

export const KEY = 'sk-test-0123456789abcdef';

export const newJournal = async () => join(await mkdtemp(join(tmpdir(), 'legwork-model-')), 'ada.journal.jsonl');

/** The environment variable that holds a key, while the test runs. */
export function keyInEnvironment(key: string) {
  const name = `MODEL_KEY_${randomUUID().replaceAll('-', '')}`;
  process.env[name] = key;
  onTestFinished(() => {
    delete process.env[name];
  });
  return name;
}

/** A model of a policy, with the journal in a file of its own. */
export async function modelAt(url: string, { tokensPerDay = 100_000, keyEnv = keyInEnvironment(KEY), file = '' } = {}) {
  const used = new TokensUsed();
  const journal = await Journal.open(file || (await newJournal()), [used]);
  onTestFinished(() => journal.close());
  const model = createModel({ url, name: 'qwen3', tokensPerDay, keyEnv, timeoutSec: 10 }, journal, used);
  return { model, journal, used: () => used.ofLastDay(Date.now()) };
}
