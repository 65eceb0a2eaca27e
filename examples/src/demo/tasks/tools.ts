import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { DemoError } from '../stage.js';

/** A leg as the tools tell of it; the fields that the agents read. */
export interface ToldLeg {
  readonly id: string;
  readonly legIndex: number;
  readonly instruction: string;
  readonly status: string;
  readonly isOpen: boolean;
  readonly isWorkable: boolean;
  readonly agentPubkey: string | null;
}

/** A task as the tools tell of it. */
export interface ToldTask {
  readonly id: string;
  readonly description: string;
  readonly numLegs: number;
  readonly paymentPerLegSol: number;
  readonly legs: readonly ToldLeg[];
}

/** A task read alone: its legs with their results. */
export interface ToldTaskInFull extends ToldTask {
  readonly legs: readonly (ToldLeg & { readonly result: string | null })[];
}

/** The answer to a claim. */
export interface ToldClaim {
  readonly status: string;
  readonly isWorkable: boolean;
  readonly previousResult: string | null;
}

/** The answer to a result. */
export interface ToldPayment {
  /** Null while the payment is under way. */
  readonly paymentLamports: number | null;
}

/** A tool that said no, with what to do next. */
export class ToolRefusedError extends DemoError {
  constructor(
    tool: string,
    /** A stable code such as `leg_taken`. */
    readonly code: string,
    reason: string,
  ) {
    super(`${tool} was refused: ${code}: ${reason}`);
  }
}

const TOO_OFTEN = 429;
const SERVER_ERROR = 500;
const MAX_WAIT_SEC = 60;

/** The tools of a service over MCP: all that an agent here knows of it. */
export class Tools {
  readonly #client: Client;

  private constructor(client: Client) {
    this.#client = client;
  }

  /** Connects a client of its own. */
  static async connect(mcpUrl: string, name: string): Promise<Tools> {
    const client = new Client({ name, version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new StreamableHTTPClientTransport(new URL(mcpUrl), { fetch: patientFetch }));
    return new Tools(client);
  }

  /**
   * Calls a tool and answers what it tells.
   *
   * @throws {ToolRefusedError} when it refuses
   */
  async call<T>(tool: string, args: Readonly<Record<string, unknown>>): Promise<T> {
    const { isError, content } = await this.#client.callTool({ name: tool, arguments: { ...args } });
    const [first] = content;
    const text = first?.type === 'text' ? first.text : '{}';
    if (isError === true) {
      const { code, message, hint }: Readonly<Record<string, string>> = JSON.parse(text);
      throw new ToolRefusedError(tool, code ?? 'unknown', `${message} ${hint}`);
    }
    const told: T = JSON.parse(text);
    return told;
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}

/** Waits when the service says that it is asked too often, as long as it says. */
async function patientFetch(input: string | URL, init?: RequestInit): Promise<Response> {
  for (;;) {
    const answer = await fetch(input, init).catch((cause: unknown) => {
      throw new DemoError(`No answer from ${String(input)}; run the demo again with --resume.`, { cause });
    });
    if (answer.status >= SERVER_ERROR) throw new DemoError(`${String(input)} answered ${answer.status}.`);
    if (answer.status !== TOO_OFTEN) return answer;
    await answer.body?.cancel();
    const seconds = Math.min(Number(answer.headers.get('retry-after') ?? 1), MAX_WAIT_SEC);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}
