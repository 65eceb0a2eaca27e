import { lookup, type LookupAddress, promises as dns } from 'node:dns';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { callbackify, promisify } from 'node:util';
import ipaddr from 'ipaddr.js';
import type { Config } from '../config.js';

/** How long a receiver has in all, from the look-up of its name to the end of its answer, milliseconds. */
const ANSWER_WITHIN_MS = 5_000;
/** So much of an answer is read, bytes; of a delivery's nothing is looked at. */
const MOST_ANSWER = 64 * 1024;
/** Each of two tries to look up a name, milliseconds. */
const LOOKUP_MS = 1_500;

/** The answer of a receiver; it never gets more of us than the next delivery. */
export interface Answer {
  /** HTTP status; null: there was none. */
  status: number | null;
  /** The beginning of its body. */
  text: string;
  /** Why this is no success; null: it is one. */
  error: string | null;
}

export interface Message {
  headers: Record<string, string>;
  body: string | Buffer;
}

/** All that is posted to strangers' addresses goes through here. */
export interface Targets {
  /** The fault of an address as it is written, or undefined. */
  refusal(url: string): string | undefined;
  post(url: string, message: Message): Promise<Answer>;
}

type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

/** The differences of a test: where names lead, and that receivers may listen on any port without TLS. */
interface Loosened {
  resolve?: Resolve;
  anyPort?: boolean;
  /** A certificate that is trusted. */
  ca?: string;
}

/**
 * Posts to public addresses alone, unless the configuration says otherwise. The connection goes to the very address that was judged,
 * at every connect anew, so that a name which leads elsewhere a moment later gets nobody anywhere. Rule S-184.
 */
export function openTargets(
  { webhooks: { targets }, publicUrl, mcpPublicUrl }: Pick<Config, 'webhooks' | 'mcpPublicUrl'> & { publicUrl: string },
  { resolve, anyPort = targets === 'any', ca }: Loosened = {},
): Targets {
  const isLoose = targets === 'any';
  const own = [publicUrl, mcpPublicUrl ?? publicUrl].map((url) => new URL(url).host);
  const look = resolve ?? (isLoose ? lookUpHere : lookUpOutside);

  const refusal = (text: string): string | undefined => {
    if (targets === 'none') return 'cannot be taken: this service sends no webhooks';
    const url = new URL(text);
    if (url.username !== '' || url.password !== '') return 'must hold no user name and no password';
    if (!anyPort && (url.protocol !== 'https:' || url.port !== '')) return 'must be https on port 443';
    if (own.includes(url.host)) return 'is an address of this service itself';
    const host = bareHost(url);
    return !isLoose && isIP(host) !== 0 && !isPublic(host) ? NOT_PUBLIC : undefined;
  };

  /** Judges every address that a name leads to: one that is not public makes the name suspect. */
  const judged = async (hostname: string): Promise<LookupAddress[]> => {
    const addresses = [...(await look(hostname))];
    if (addresses.length === 0) throw new Error('its name leads nowhere');
    if (!isLoose && !addresses.every(({ address }) => isPublic(address))) throw new Error(NOT_PUBLIC);
    return addresses;
  };

  return {
    refusal,
    post: async (url, message) => {
      const wrong = refusal(url);
      if (wrong !== undefined) return failure(`the address ${wrong}`);
      try {
        return await send(new URL(url), message, { judge: judged, ca });
      } catch (error) {
        return failure(reasonOf(error));
      }
    },
  };
}

const NOT_PUBLIC = 'leads to an address that is not public';

const failure = (error: string, status: number | null = null, text = ''): Answer => ({ status, text, error });

const bareHost = ({ hostname }: URL) => hostname.replace(/^\[(.*)\]$/, '$1');

/** Answers on a public address that clouds give their machines' own agent. */
const METADATA = new Set(['168.63.129.16']);
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** True if an address is somebody's on the internet, and not ours. */
export function isPublic(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  // An IPv4 address in the clothes of an IPv6 one is what it is.
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast' || METADATA.has(address.toString())) return false;
  if (address instanceof ipaddr.IPv6 && !address.match(GLOBAL_UNICAST)) return false;
  return !Object.values(networkInterfaces()).some((ours) =>
    ours?.some((one) => ipaddr.process(one.address.split('%', 1)[0] ?? '').toString() === address.toString()),
  );
}

/** By this machine's own means, names that only it knows included. */
const lookUpHere: Resolve = (hostname) => promisify(lookup)(hostname, { all: true });

/** By DNS alone, without the threads that files need too: servers that never answer hold up nobody. */
const lookUpOutside: Resolve = async (hostname) => {
  const resolver = new dns.Resolver({ timeout: LOOKUP_MS, tries: 2 });
  const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  return [
    ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
    ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
  ];
};

/** The socket asks this for where to connect, and connects there. */
function pinned(judge: (hostname: string) => Promise<LookupAddress[]>): RequestOptions['lookup'] {
  const judging = callbackify(judge);
  return (hostname, { all }, done) => {
    judging(hostname, (error, addresses) => {
      const [first] = addresses ?? [];
      if (all === true) done(error, addresses ?? []);
      else done(error, first?.address ?? '', first?.family);
    });
  };
}

async function send(
  url: URL,
  { headers, body }: Message,
  { judge, ca }: { judge: (hostname: string) => Promise<LookupAddress[]>; ca: string | undefined },
): Promise<Answer> {
  const begin = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const length = String(Buffer.byteLength(body));
    // A connection of its own: a kept one would have been judged for an earlier delivery.
    const options = {
      method: 'POST',
      agent: false,
      signal,
      lookup: pinned(judge),
      ...(ca !== undefined && { ca }),
      headers: { ...headers, 'content-length': length },
    };
    begin(url, options, resolve).on('error', reject).end(body);
  });
  const { statusCode: status = 0 } = answer;
  const text = await beginningOf(answer);
  if (status >= 200 && status < 300) return { status, text, error: null };
  if (status >= 300 && status < 400)
    return failure(`redirects (${status}), which is not followed; register the final address`, status);
  return failure(`answers ${status}`, status);
}

/** The beginning of the body that comes within the time; how it ends does not matter. */
function beginningOf(answer: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const end = (): void => {
      answer.destroy();
      resolve(Buffer.concat(chunks).toString().slice(0, MOST_ANSWER));
    };
    answer.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= MOST_ANSWER) end();
    });
    for (const event of ['end', 'error', 'close']) answer.once(event, end);
  });
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'cannot be reached';
  if (error.name === 'AbortError' || error.name === 'TimeoutError')
    return `did not answer within ${ANSWER_WITHIN_MS / 1000} seconds`;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return code === undefined ? error.message : `cannot be reached (${code})`;
}
