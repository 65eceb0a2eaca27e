import { createInterface } from 'node:readline/promises';
import {
  commandLine,
  type JournalView,
  KeptPapers,
  openSession,
  type OverLimit,
  readKeyFile,
  type Session,
  type Settings,
} from '@legwork/agents';
import { TOKEN_ACCOUNT_RENT } from '@legwork/program-client';
import { createLegworkClient, type LegworkClient, serviceConfig } from '@legwork/sdk';
import { createSolanaRpc } from '@solana/kit';
import { UsageError, UserError } from '../screen.js';

/** The most that a transaction costs which locks nothing: its fees, lamports. */
export const FEES_LAMPORTS = 2_000_000n;
/** The most that a listing costs beyond its budget: fees, and the rent of its two accounts. */
export const LISTING_LAMPORTS = 10_000_000n;

/** The agent that runs a command. It opens key, journal and ledger when they are asked for. */
export class Agent {
  readonly settings: Settings;
  /** Signs nothing. */
  readonly client: LegworkClient;
  readonly #sessions: Session[] = [];
  #papers: KeptPapers | undefined;
  readonly #evenBeforePickup: boolean;

  /**
   * @param evenBeforePickup the person typed that a leg may be paid whose parcel nobody has picked up
   * @throws UsageError when the address of the service is none
   */
  constructor(settings: Settings, evenBeforePickup = false) {
    this.#evenBeforePickup = evenBeforePickup;
    this.settings = settings;
    try {
      this.client = createLegworkClient({ url: settings.service });
    } catch (error) {
      throw error instanceof TypeError ? new UsageError(error.message) : error;
    }
  }

  /** A command as this person types it next. */
  command(words: string): string {
    return commandLine(words, this.settings);
  }

  /** The address of the key; from here on the client hears of its papers. @throws {KeyFileError} */
  async pubkey(): Promise<string> {
    const { address } = await readKeyFile(this.settings.key);
    const { client } = this;
    const ledger = async () => {
      const { rpcUrl, programId } = await serviceConfig(client);
      return { rpc: createSolanaRpc(this.settings.rpc ?? rpcUrl), programId };
    };
    this.#papers ??= await KeptPapers.open({ pubkey: address, keyFile: this.settings.key, client, ledger, say });
    return address;
  }

  /**
   * Opens the key behind its limits. Rule A-93.
   *
   * @param upTo lamports that one transaction may cost because the command says so, where nobody wrote limits down
   * @param token the most that it moves of a token, likewise
   * @param views further readers of the journal
   * @throws {KeyFileError}, {JournalError}, {TrustError}
   */
  async session(upTo: bigint = FEES_LAMPORTS, views: readonly JournalView[] = [], token?: Token): Promise<Session> {
    const approve = (request: OverLimit) => {
      if (request.isEarlyPayment) return this.#evenBeforePickup ? Promise.resolve(true) : askPerson(request);
      // Somebody wrote the limits down, so no command may pass them by itself.
      if (this.settings.file !== undefined) return askPerson(request);
      const isWithin = request.lamports <= upTo + BigInt(request.opened ?? 0) * TOKEN_ACCOUNT_RENT;
      return Promise.resolve(isWithin && isTokenWithin(request, token));
    };
    const session = await openSession(this.#settingsFor(token), { approve, views, say });
    this.#sessions.push(session);
    return session;
  }

  /**
   * Asks the person where somebody wrote limits down: they say nothing of what this does.
   *
   * @throws UserError when nobody agrees
   */
  async requireAgreed(what: string, details: readonly string[]): Promise<void> {
    if (this.settings.file === undefined) return;
    if (await agrees([`Sign ${what}?`, ...details, `You are asked because ${this.settings.file} has limits.`])) return;
    throw new UserError(`Nothing was signed: a person signs ${what}, in a terminal.`);
  }

  /** Without written limits an agent has none for a token but those of the command. */
  #settingsFor(token: Token | undefined): Settings {
    if (token === undefined || this.settings.file !== undefined) return this.settings;
    const none = { perTransaction: 0, perDay: 0, inAll: 0, stakePerLeg: 0, stakeInAll: 0 };
    return { ...this.settings, asset: { name: token.asset, ...none } };
  }

  async close(): Promise<void> {
    await this.#papers?.close();
    for (const session of this.#sessions) await session.close();
  }
}

/** Beside what a command answers. */
const say = (line: string) => void process.stderr.write(`${line}\n`);

/** An asset that a command is about, and how much of it one transaction may move, base units. */
export interface Token {
  readonly asset: string;
  readonly amount: bigint;
}

function isTokenWithin({ token: wanted }: OverLimit, token: Token | undefined): boolean {
  return wanted === undefined || (wanted.asset === token?.asset && wanted.amount <= token.amount);
}

/** Asks the person at the terminal to allow a transaction above a limit. */
const askPerson = ({ instruction, details, why }: OverLimit): Promise<boolean> =>
  agrees([`Sign ${instruction}?`, ...details, `You are asked because ${why}.`]);

/** Reports whether the person at the terminal says yes; nobody does where there is no terminal. */
async function agrees(lines: readonly string[]): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const question = `${lines.join('\n  ')}\n[y/N] `;
    return /^y(es)?$/i.test((await terminal.question(question)).trim());
  } finally {
    terminal.close();
  }
}
