import { createLegworkClient } from '@legwork/sdk';
import type { LegworkClient } from '@legwork/sdk';
import type { KeyPairSigner } from '@solana/kit';
import { loadOrCreateKeypair } from '../keypairs.js';
import { DemoError } from './stage.js';
import type { Ledger } from './ledger.js';
import type { RunFolder } from './runFolder.js';

/** Somebody whom a story is about. */
export interface Person {
  readonly name: string;
  readonly role: string;
  /** The wallet's need before the story begins, in lamports. */
  readonly neededLamports: bigint;
}

/** Somebody in the story: a name, a wallet, and a client that signs with it. */
export interface Member extends Person {
  readonly signer: KeyPairSigner;
  readonly client: LegworkClient;
}

/** Everybody in the story. */
export class Company {
  readonly members: readonly Member[];

  private constructor(members: readonly Member[]) {
    this.members = members;
  }

  /** Loads the keys of the run, or makes them. */
  static async assemble(url: string, folder: RunFolder, people: readonly Person[]): Promise<Company> {
    const member = async (person: Person): Promise<Member> => {
      const signer = await loadOrCreateKeypair(folder.keyFile(`${person.role}-${person.name.toLowerCase()}`));
      return { ...person, signer, client: createLegworkClient({ url, signer }) };
    };
    return new Company(await Promise.all(people.map(member)));
  }

  /** @throws {Error} when nobody has this name */
  named(name: string): Member {
    const found = this.members.find((member) => member.name === name);
    if (found === undefined) throw new Error(`nobody is called ${name}`);
    return found;
  }

  /** The member with this wallet; undefined: a stranger, who also works on this market. */
  withKey(pubkey: string): Member | undefined {
    return this.members.find(({ signer }) => signer.address === pubkey);
  }

  /** The name of a wallet's owner, or for strangers the key itself. */
  nameOf(pubkey: string): string {
    return this.withKey(pubkey)?.name ?? pubkey;
  }
}

const AIRDROP_MS = 60_000;

/**
 * Registers a member, which brings the airdrop, and waits until the wallet can pay. A service gives only so many airdrops a
 * day to one address; the ledger that `npm start` brings gives more to anyone who asks.
 *
 * @throws {DemoError} when the faucet gives nothing and the wallet is empty
 */
export async function register({ name, role, neededLamports, signer, client }: Member, ledger: Ledger): Promise<void> {
  const { airdrop } = await client.registerAgent({
    agentPubkey: signer.address,
    displayName: name,
    capabilities: [role],
  });
  const isComing = airdrop.status === 'sent' || (await ledger.fill(signer.address, neededLamports));
  const until = Date.now() + (isComing ? AIRDROP_MS : 0);
  while ((await ledger.balance(signer.address)) < neededLamports) {
    if (Date.now() >= until) {
      throw new DemoError(
        `${name}'s wallet ${signer.address} is empty and the faucet gave nothing (${airdrop.reason ?? airdrop.status}). ` +
          `Send it ${Number(neededLamports) / 1e9} SOL and run the demo again with --resume.`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}
