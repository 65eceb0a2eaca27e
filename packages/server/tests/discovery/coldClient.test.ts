import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { address, generateKeyPairSigner } from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { withService } from '../support/service.js';

const service = withService({});

type Json = Record<string, unknown>;

/**
 * A client that knows the habits of the web and no path, tool or argument of ours: it follows what the documents say, and fills
 * arguments with what it has by their names.
 */
class ColdClient {
  readonly #known: Json;
  #mcp: Client | undefined;
  #skill = '';

  constructor(known: Json) {
    this.#known = known;
  }

  /** @param base the address of the service, which is all that somebody told it */
  async find(base: string): Promise<void> {
    const llms = await (await fetch(`${base}/llms.txt`)).text();
    const links = [...llms.matchAll(/^- \[[^\]]+\]\((\S+)\)/gm)].map(([, address = '']) => address);
    for (const link of links) {
      const answer = await fetch(link, { headers: { accept: '*/*' } });
      const type = answer.headers.get('content-type') ?? '';
      if (type.startsWith('text/markdown')) this.#skill = await answer.text();
      if (type.startsWith('application/mcp-server-card+json')) await this.#connect((await answer.json()) as Json);
    }
  }

  async #connect({ remotes }: Json): Promise<void> {
    const [remote] = remotes as { type: string; url: string }[];
    this.#mcp = new Client({ name: 'cold', version: '1' });
    await this.#mcp.connect(new StreamableHTTPClientTransport(new URL(remote?.url ?? '')));
  }

  close = () => this.#mcp?.close();

  /** Does what a section of the skill says, tool by tool in its order. @returns the last answer */
  async follow(title: RegExp): Promise<Json> {
    const section = this.#skill.split(/^## /m).find((part) => title.test(part.split('\n', 1)[0] ?? '')) ?? '';
    for (const [, name = '', value = ''] of section.matchAll(/\bwith (\w+) (true|"\w+")/g)) {
      this.#known[name] = JSON.parse(value) as unknown;
    }
    const atMost = [...section.matchAll(/(\w+) is at most (\w+)/g)].map(
      ([, name = '', as = '']) => [name, as] as const,
    );
    let last: Json = {};
    for (const tool of new Set([...section.matchAll(/`(svc_\w+)`/g)].map(([, name = '']) => name))) {
      last = await this.#call(tool);
      this.#learn(last);
      for (const [name, as] of atMost) if (this.#known[as] !== undefined) this.#known[name] = this.#known[as];
    }
    return last;
  }

  async #call(name: string): Promise<Json> {
    const { tools = [] } = (await this.#mcp?.listTools()) ?? {};
    const { properties = {} } = tools.find((tool) => tool.name === name)?.inputSchema ?? {};
    const filled = Object.keys(properties).filter((argument) => this.#known[argument] !== undefined);
    const args = Object.fromEntries(filled.map((argument) => [argument, this.#known[argument]]));
    const answer = await this.#mcp?.callTool({ name, arguments: args });
    if (answer?.isError) throw new Error(`${name}: ${JSON.stringify(answer.content)}`);
    return answer?.structuredContent as Json;
  }

  /** Keeps what an answer names: its fields, the first of its items, and of its legs the first that can be worked on. */
  #learn(answer: Json): void {
    const [first] = (answer['items'] as Json[] | undefined) ?? [answer];
    if (first === undefined) throw new Error('there is no work');
    const legs = (first['legs'] as Json[] | undefined) ?? [];
    Object.assign(this.#known, first);
    const open = legs.find((leg) => leg['isOpen'] === true && leg['isWorkable'] === true);
    if (first['id'] !== undefined) this.#known['taskId'] = first['id'];
    if (open) this.#known['legId'] = open['id'];
  }
}

async function inTurn(known: Json, title: RegExp): Promise<Json> {
  const client = new ColdClient(known);
  try {
    await client.find(service.current.server.url);
    return await client.follow(title);
  } finally {
    await client.close();
  }
}

describe('a client that knows nothing but the address', () => {
  test('(S-172) posts a task by what it reads, and another finds it, does it, and is paid', async () => {
    const { pubkey: shipperPubkey } = await service.current.party(1);
    const goal = { title: 'Feedback', description: 'Group the feedback by topic: it came late; too dear.' };
    const wish = {
      ...goal,
      maxBudgetSol: 0.2,
      legs: [{ instruction: 'Group it, and say how many there are of each.' }],
    };
    const posted = await inTurn({ ...wish, shipperPubkey }, /have a digital task done/i);
    expect(posted['status']).toBe('listed');

    const agent = await generateKeyPairSigner();
    const result = 'late (1), dear (1)';
    const done = await inTurn({ agentPubkey: agent.address, result }, /earn by doing digital tasks/i);
    expect(done).toMatchObject({ status: 'completed', paymentLamports: 200_000_000 });
    const { value } = await service.current.rpc.getBalance(address(agent.address), { commitment: 'confirmed' }).send();
    expect(value).toBe(200_000_000n);
  });
});
