import {
  EarlyPaymentError,
  KeyFileError,
  LimitError,
  PolicyError,
  readSettings,
  type SettingOptions,
  SETTINGS_FILE,
} from '@legwork/agents';
import { RelayApiError } from '@legwork/sdk';
import { messageOf, print, UsageError } from '../screen.js';
import { Agent } from './agent.js';
import { harmless, type Shown, toJson } from './output.js';

/** What a command does. `input` holds its arguments and options by name. */
export type Act = (agent: Agent, input: never) => Promise<Shown> | AsyncIterable<Shown>;

const DONE = 0;
const NOT_DONE = 1;
const WRONG_USAGE = 2;

/** Runs a command of an agent and prints what it says. Rule A-92. @returns the exit code */
export async function runAct(
  act: Act,
  options: SettingOptions & { readonly json?: true; readonly evenBeforePickup?: true },
  input: object,
): Promise<number> {
  const policy = options.policy ?? SETTINGS_FILE;
  try {
    const agent = new Agent(await readSettings(options), options.evenBeforePickup);
    try {
      for await (const shown of each(act(agent, input as never))) {
        await print(`${options.json ? toJson(shown.data) : harmless(shown.text)}\n`);
        // Nobody reads any more: a closed pipe ends what would go on for ever.
        if (!process.stdout.writable) break;
      }
    } finally {
      await agent.close();
    }
    return DONE;
  } catch (error) {
    const told = options.json ? toJson({ error: inJson(error, policy) }) : harmless(sentenceOf(error, policy));
    process.stderr.write(`${told}\n`);
    return isUsage(error) ? WRONG_USAGE : NOT_DONE;
  }
}

async function* each(result: Promise<Shown> | AsyncIterable<Shown>): AsyncGenerator<Shown> {
  if (result instanceof Promise) yield await result;
  else yield* result;
}

const EVEN_SO = 'Run this in a terminal, which asks you, or say that you want it with --even-before-pickup.';

function sentenceOf(error: unknown, policy: string): string {
  // Words of the service stay on the one line that they are given.
  if (error instanceof RelayApiError) return error.message.replace(/\s+/g, ' ');
  if (error instanceof EarlyPaymentError) return `${messageOf(error)}. ${EVEN_SO}`;
  const next = error instanceof LimitError ? `. Raise it in ${policy}, or run this in a terminal, which asks you.` : '';
  return `${messageOf(error)}${next}`;
}

function isUsage(error: unknown): boolean {
  return error instanceof UsageError || error instanceof KeyFileError || error instanceof PolicyError;
}

function inJson(error: unknown, policy: string) {
  if (!(error instanceof RelayApiError)) return { message: sentenceOf(error, policy) };
  const { code, status, detail, errors } = error;
  return { code, status, message: detail, errors };
}
