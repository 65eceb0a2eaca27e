import { DEFAULT_CLAIM_WINDOW } from '@legwork/protocol/rules';
import { isAddress } from '@solana/kit';
import { z } from 'zod';
import { files } from './environment/files.js';
import { spending } from './environment/spending.js';
import { tracing } from './environment/tracing.js';
import { allowance, listOf, port, url } from './environment/values.js';

/** An instant in an environment variable. */
const instant = z.iso
  .datetime({ offset: true, error: 'must be an instant such as 2026-05-11T00:00:00.000Z' })
  .transform((text) => new Date(text));

/**
 * Every environment variable the service reads. The text of each is its documentation, and becomes
 * docs/operators/configuration.md. Unknown variables are ignored, an empty one counts as not set; a wrong value stops
 * the start with a sentence that names it.
 */
export const environment = z.object({
  HOST: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe('Address to listen on. 0.0.0.0 opens the service to the network.'),
  PORT: port.default(8080).describe('HTTP port; 0 takes any free one.'),
  PUBLIC_URL: url
    .optional()
    .describe(
      'The address clients use, when it is not http://HOST:PORT, or with HTTPS_DIR https and an address of this machine. Signed requests name its host.',
    ),
  HTTPS_DIR: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Folder of `certificate.pem`, a private key and its certificate: the service speaks https then, and plain http to this machine alone. ' +
        'Where the file is missing, the service makes one for its addresses, which nobody vouches for. Without it: http. ' +
        '`legwork start --https` fills it in.',
    ),
  MCP_PUBLIC_URL: url
    .optional()
    .describe('The address MCP clients use (they append /mcp), when it is another host or prefix than PUBLIC_URL.'),
  TRUST_PROXY: listOf(z.union([z.cidrv4(), z.cidrv6(), z.ipv4(), z.ipv6()]))
    .optional()
    .describe(
      'Addresses or CIDR ranges of the proxies in front, with commas. Only their X-Forwarded-For, -Host and -Proto are ' +
        'believed; without it nobody is, and every request counts as coming from the address it is connected from.',
    ),
  SECURITY_CONTACT: z
    .url({
      protocol: /^(https|mailto|tel)$/,
      error: 'must be an address such as mailto:security@example.org or https://example.org/security',
    })
    .optional()
    .describe(
      'Where somebody reports a hole in this service: mailto:, https: or tel:. Without it: there is no /.well-known/security.txt.',
    ),
  CORS_ORIGINS: listOf(z.url())
    .optional()
    .describe(
      'Origins of the pages that may write, with commas, such as https://app.example.org. Every page may read. Without it: ' +
        'no page of another origin writes.',
    ),
  DATABASE_URL: z
    .string()
    .min(1)
    .describe('PostgreSQL connection string. `legwork start` fills it in with the bundled one.'),
  DATABASE_POOL: z.coerce.number().int().min(2).max(200).default(10).describe('Most connections to PostgreSQL.'),
  START_WAIT_SEC: z.coerce
    .number()
    .int()
    .min(0)
    .max(3600)
    .default(60)
    .describe(
      'Seconds that a start waits for a database and a ledger that do not answer yet: refused, silent, starting up, or behind.',
    ),
  SOLANA_RPC_URL: url.describe(
    'JSON-RPC of the cluster. `GET /config` shows it to everybody, so it must not hold a key. ' +
      "`legwork start` fills it in with the embedded ledger's.",
  ),
  SOLANA_WS_URL: url
    .optional()
    .describe(
      'WebSocket of the cluster; without it: SOLANA_RPC_URL with ws and, where that names a port, the next one.',
    ),
  SOLANA_CLUSTER: z
    .enum(['embedded', 'localnet', 'devnet', 'testnet', 'mainnet-beta'])
    .default('localnet')
    .describe(
      'The name shown to clients and used for explorer links. `legwork start` says embedded where it starts the ledger.',
    ),
  RELAY_PROGRAM_ID: z
    .string()
    .refine(isAddress, 'must be the base58 address of a program')
    .describe("Address of the deployed program. `legwork start` fills it in with the embedded ledger's."),
  COORDINATOR_KEYPAIR: z
    .string()
    .min(1)
    .describe(
      'File with the hot key of the coordinator: 64 numbers, as solana-keygen writes. ' +
        "`legwork start` fills it in with the embedded ledger's.",
    ),
  ASSETS: z
    .string()
    .default('usdc:1')
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(
      z.array(
        z
          .string()
          .regex(/^[a-z][a-z0-9]{1,9}:[0-9]{1,3}$/, 'must be a name and the number of an asset, such as usdc:1'),
      ),
    )
    .transform((named) =>
      named.map((one) => one.split(':')).map(([name = '', number]) => ({ name, number: Number(number) })),
    )
    .refine((named) => named.every(({ name, number }) => name !== 'sol' && number >= 1 && number <= 255), {
      error: 'must number tokens from 1 to 255; SOL is there without being named',
    })
    .describe(
      'Tokens that listings can be paid in, with commas: the name that clients use and the number of the asset on the ledger. One ' +
        'that the ledger does not show is left out.',
    ),
  REBUILD: z
    .enum(['before', 'all', 'none'])
    .default('before')
    .describe(
      'Which listings of the ledger the service takes over that are not in its database: before: those listed before the database began, ' +
        'so that an empty one fills from the ledger; all: every one, for a database put back to an older state; none: no listing.',
    ),
  ARBITER_PUBKEY: z
    .string()
    .refine(isAddress, 'must be the base58 address of the arbiter')
    .optional()
    .describe(
      'Who rules disputes of packages whose terms name nobody else; GET /config shows it. Its key is not for the service: ' +
        '`legwork arbiter` rules with it. Without one, terms have to name an arbiter.',
    ),
  OPERATORS: z
    .string()
    .default('')
    .transform((listed) => listed.split(',').filter((one) => one !== ''))
    .refine((keys) => keys.every(isAddress), 'must be base58 keys with commas between them')
    .describe(
      'Keys that may read how the service stands and have it try again (GET /operations, `legwork ops`), with commas, beside the authority ' +
        'of the program.',
    ),
  OPERATIONS_PUBLIC: z
    .enum(['on', 'off'])
    .default('off')
    .describe(
      'on: anybody may read how the service stands (GET /operations, and the page /ops), the last errors of what waits among it. Acts are ' +
        'for operators alone.',
    ),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('The least severe entries that are logged.'),
  PERSONAL_DATA_KEYS: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Folder for the keys that personal data in the database is sealed with, one a month, which only this user reads. Keep it out ' +
        'of the backups of the database, and give replicas the same one. Without it that stands in the database as it is, and no ' +
        'private parts of packages are kept. `legwork start` uses one in its data folder.',
    ),
  PERSONAL_DATA_DAYS: z.coerce
    .number()
    .int()
    .min(0)
    .max(36_500)
    .default(30)
    .describe(
      'Days after the end of a package or a digital task until its places, texts and results are erased; 0: only when its lister asks. ' +
        'The audit takes nothing for rightly erased that was erased sooner.',
    ),
  METRICS_PORT: port
    .optional()
    .describe(
      'Port of `/metrics` for Prometheus, at METRICS_HOST; 0 takes any free one, which the log names. Without it: none.',
    ),
  METRICS_HOST: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe('Address that it listens on. A container needs 0.0.0.0, which opens it to everybody on the network.'),
  ...tracing,
  LIMIT_TOOL_CALLS: allowance
    .default(120)
    .describe('Tool calls a minute from one address, /mcp and /mcp/call together; 0: no limit.'),
  LIMIT_BIDS: allowance.default(20).describe('Bids a minute from one address for one agent; 0: no limit.'),
  LIMIT_BIDS_PER_ADDRESS: allowance
    .default(240)
    .describe('Bids a minute from one address, for however many agents; 0: no limit.'),
  LIMIT_WRITES: allowance.default(60).describe('Other writing requests a minute from one address; 0: no limit.'),
  LIMIT_PARTS: allowance
    .default(600)
    .describe('Parts of files, of 5 MiB each, that are taken a minute from one address; 0: no limit.'),
  LIMIT_READS: allowance
    .default(600)
    .describe(
      'Reading requests a minute from one address; 0: no limit. `legwork start` for this machine alone takes 6000 unless this is set.',
    ),
  LIMIT_EVENT_SOCKETS: allowance
    .default(50)
    .describe('Event sockets that one address holds open at each replica; 0: no limit.'),
  LIMIT_WEBHOOKS: allowance
    .default(20)
    .describe('Webhooks and subscriptions to notices that one key may have; 0: no limit.'),
  LIMIT_WEBHOOKS_PER_ADDRESS: allowance
    .default(100)
    .describe('Webhooks and subscriptions that may be made from one address, for however many keys; 0: no limit.'),
  WEBHOOK_TARGETS: z
    .enum(['public', 'any', 'none'])
    .default('public')
    .describe(
      'Where webhooks and notices to phones may lead: `public`, to https on port 443 of public addresses; `any`, also to http, other ports, and private and ' +
        "loopback addresses, this machine's too: for development alone; `none`, nowhere.",
    ),
  LIMIT_AIRDROPS: allowance
    .default(30)
    .describe('Airdrops a day to agents that register from one address; 0: no limit.'),
  LIMIT_DRAFTS: allowance
    .default(120)
    .describe('Listings an hour that are drafted for wallets at one address to sign; 0: no limit.'),
  ...files,
  UNSIGNED_CALLS: z
    .enum(['newcomers', 'all', 'none'])
    .optional()
    .describe(
      'For which keys bids, claims, releases and results are taken without a signature: `newcomers`, those that have never ' +
        'signed for such a thing; `all`, also those, but for keys that asked for signed calls alone; `none`. Without it: none ' +
        'on mainnet-beta, newcomers elsewhere.',
    ),
  API_KEYS: listOf(z.string().min(16, 'each key has at least 16 characters'))
    .optional()
    .describe(
      'Keys, with commas, one of which X-Api-Key must hold for packages and tasks that the coordinator funds. Without it no ' +
        'key is needed and the caps below are all there is; on mainnet-beta the start is then refused unless SPONSOR_TASK_SOL is 0.',
    ),
  ...spending,
  LIMIT_WAITING_LEGS: allowance
    .default(20)
    .describe(
      'Legs with terms that one agent may have without having accepted them, however many it completed; one that completed none may have 3. 0: no limit.',
    ),
  NEWCOMER_PRIOR: z.coerce
    .number()
    .int()
    .min(0)
    .max(100)
    .default(50)
    .describe('Score in percent assumed for an agent without history; never counts above 60.'),
  OPTIMIZER_TIME_MS: z.coerce
    .number()
    .int()
    .min(1)
    .max(60_000)
    .default(1000)
    .describe('Longest search for the best chain of bids, in milliseconds.'),
  AIRDROP: z
    .enum(['on', 'off'])
    .default('on')
    .describe('Whether registering asks the faucet of the cluster for 1 SOL. Meaningless on mainnet.'),
  ADMIN_KEY: z
    .string()
    .min(24, 'must have at least 24 characters')
    .optional()
    .describe(
      'Key that X-Admin-Key must hold to export reward claims and to mark them as paid. Without it: nobody may.',
    ),
  REWARD_WINDOW_OPENS: instant
    .prefault(DEFAULT_CLAIM_WINDOW.opensAt.toISOString())
    .describe('From when on reward claims are taken.'),
  REWARD_WINDOW_CLOSES: instant
    .prefault(DEFAULT_CLAIM_WINDOW.closesAt.toISOString())
    .describe('The last instant at which they are taken.'),
});
