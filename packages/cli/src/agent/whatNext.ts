import { LegworkApiError, LegworkNetworkError } from '@legwork/sdk';
import { parseId } from '../optionValues.js';
import { messageOf } from '../screen.js';
import type { Agent } from './agent.js';
import { kindOf } from './exits.js';

/**
 * What a person does about an error, with the command that does it; undefined: the error says it. Rule A-177.
 *
 * @param input arguments and options of the command that failed
 */
export async function whatNext(agent: Agent, error: unknown, input: object): Promise<string | undefined> {
  if (error instanceof LegworkNetworkError) {
    // An error of the ledger names no service, and says itself what to do.
    if (!error.message.includes(new URL(agent.settings.service).origin)) return undefined;
    return 'Start a service here with legwork start, or name the one that you mean with --url or LEGWORK_URL';
  }
  if (!(error instanceof Error)) return undefined;
  // By name: who throws them are parts that not every command loads.
  if (error.name === 'NoParcelError') return waiting(agent);
  if (error.name === 'FundsError') {
    return `Send SOL to that address; a service that is for trying things out gives some: ${agent.command('register')}`;
  }
  if (!(error instanceof LegworkApiError)) return undefined;
  const [id] = Object.values(input).filter(isId);
  if (id === undefined) return undefined;
  if (error.code === 'invalid_status') {
    return kindOf(agent, id).then(
      () => showing(agent, id),
      () => waiting(agent),
    );
  }
  return error.code === 'not_found' ? elsewhere(agent, id) : undefined;
}

const waiting = (agent: Agent) => `What waits for you: ${agent.command('due')}`;
const showing = (agent: Agent, id: string) => `How it stands: ${agent.command(`show ${id}`)}`;

/** An id of the wrong kind, or of nothing. */
async function elsewhere(agent: Agent, id: string): Promise<string | undefined> {
  try {
    return `${id} is a ${await kindOf(agent, id)}. ${showing(agent, id)}`;
  } catch (error) {
    return messageOf(error);
  }
}

function isId(value: unknown): value is string {
  try {
    return typeof value === 'string' && parseId(value) !== '';
  } catch {
    return false;
  }
}
