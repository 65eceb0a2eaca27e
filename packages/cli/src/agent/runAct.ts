import { EarlyPaymentError, LimitError, readSettings, type SettingOptions, SETTINGS_FILE } from '@legwork/agents';
import { LegworkApiError } from '@legwork/sdk';
import { EXIT, isUsage, messageOf, print } from '../screen.js';
import { Agent } from './agent.js';
import { harmless, type Shown, toJson } from './output.js';
import { whatNext } from './whatNext.js';

/** The action of a command. `input` holds its arguments and options by name. */
export type Act = (agent: Agent, input: never) => Promise<Shown> | AsyncIterable<Shown>;

/** Runs a command of an agent and prints what it says. Rule A-92. @returns the exit code */
export async function runAct(
  act: Act,
  options: SettingOptions & { readonly json?: true; readonly evenBeforePickup?: true },
  input: object,
): Promise<number> {
  const policy = options.policy ?? SETTINGS_FILE;
  let code: number = EXIT.done;
  let agent: Agent | undefined;
  try {
    agent = new Agent(await readSettings(options), options.evenBeforePickup);
    try {
      for await (const shown of each(act(agent, input as never))) {
        code = shown.exit ?? code;
        if (options.json && shown.data === undefined) continue;
        await print(`${options.json ? toJson(shown.data) : harmless(shown.text)}\n`);
        // Nobody reads any more: a closed pipe ends what would go on for ever.
        if (!process.stdout.writable) break;
      }
    } finally {
      await agent.close();
    }
    return code;
  } catch (error) {
    const next = agent && (await whatNext(agent, error, input));
    const sentence = sentenceOf(error, policy);
    const words = next === undefined ? sentence : `${sentence.replace(/\.$/, '')}. ${next}`;
    process.stderr.write(
      `${options.json ? toJson({ error: { ...inJson(error, sentence), next } }) : harmless(words)}\n`,
    );
    return isUsage(error) ? EXIT.wrongUsage : EXIT.notDone;
  }
}

async function* each(result: Promise<Shown> | AsyncIterable<Shown>): AsyncGenerator<Shown> {
  if (result instanceof Promise) yield await result;
  else yield* result;
}

const EVEN_SO = 'Run this in a terminal, which asks you, or say that you want it with --even-before-pickup.';

function sentenceOf(error: unknown, policy: string): string {
  // Words of the service stay on the one line that they are given.
  if (error instanceof LegworkApiError) return error.message.replace(/\s+/g, ' ');
  if (error instanceof EarlyPaymentError) return `${messageOf(error)}. ${EVEN_SO}`;
  const next = error instanceof LimitError ? `. Raise it in ${policy}, or run this in a terminal, which asks you.` : '';
  return `${messageOf(error)}${next}`;
}

function inJson(error: unknown, sentence: string) {
  if (!(error instanceof LegworkApiError)) return { message: sentence };
  const { code, status, detail, errors } = error;
  return { code, status, message: detail, errors };
}
