import { readFileSync } from 'node:fs';
import {
  AccountRole,
  address,
  getAddressEncoder,
  getProgramDerivedAddress,
  type Address,
  type Instruction,
  type KeyPairSigner,
} from '@solana/kit';
import { getCreateAccountInstruction } from '@solana-program/system';
import { newAddress, rawCall, SYSTEM_PROGRAM, type Client } from './ledger.js';

const LOADER = address('BPFLoaderUpgradeab1e11111111111111111111111');
const CLOCK = address('SysvarC1ock11111111111111111111111111111111');
const RENT = address('SysvarRent111111111111111111111111111111111');
const { READONLY, WRITABLE, READONLY_SIGNER, WRITABLE_SIGNER } = AccountRole;

const ELF = readFileSync(new URL('../../../../program/dist/relay.so', import.meta.url));
const BUFFER_HEADER = 37;

/** An account with code to deploy. */
export async function buffer(ledger: Parameters<typeof rawCall>[0], authority: Address): Promise<Address> {
  const account = await newAddress();
  const header = Buffer.alloc(BUFFER_HEADER);
  header.writeUInt32LE(1, 0);
  header.writeUInt8(1, 4);
  header.set(getAddressEncoder().encode(authority), 5);
  const data = Buffer.concat([header, ELF]).toString('hex');
  const { error } = await rawCall(ledger, 'surfnet_setAccount', [account, { data, owner: LOADER }]);
  if (error !== undefined) throw new Error(error.message);
  return account;
}

function u32(...values: readonly number[]): Buffer {
  return Buffer.concat(values.map((value) => Buffer.from(Uint32Array.of(value).buffer)));
}

/** Instructions about one program, which need not exist. */
export async function programOf(client: Client, payer: KeyPairSigner, program: KeyPairSigner) {
  const seeds = [getAddressEncoder().encode(program.address)];
  const [code] = await getProgramDerivedAddress({ programAddress: LOADER, seeds });
  const authority = { address: payer.address, role: READONLY_SIGNER, signer: payer } as const;
  const funder = { address: payer.address, role: WRITABLE_SIGNER, signer: payer } as const;
  const [to, of] = [{ address: code, role: WRITABLE } as const, { address: program.address, role: WRITABLE } as const];
  const sysvars = [RENT, CLOCK].map((one) => ({ address: one, role: READONLY }) as const);
  const system = { address: SYSTEM_PROGRAM, role: READONLY } as const;
  const instruction = (accounts: Instruction['accounts'], data: Buffer): Instruction => ({
    programAddress: LOADER,
    accounts: accounts ?? [],
    data,
  });
  const rent = await client.rpc.getMinimumBalanceForRentExemption(36n).send();
  return {
    create: getCreateAccountInstruction({
      payer,
      newAccount: program,
      lamports: rent,
      space: 36n,
      programAddress: LOADER,
    }),
    deploy: (from: Address) =>
      instruction(
        [funder, to, of, { address: from, role: WRITABLE }, ...sysvars, system, authority],
        u32(2, ELF.length, 0),
      ),
    upgrade: (from: Address) =>
      instruction(
        [to, of, { address: from, role: WRITABLE }, { address: payer.address, role: WRITABLE }, ...sysvars, authority],
        u32(3),
      ),
    extend: instruction([to, of, system, funder], u32(6, 10_240)),
    close: instruction([to, { address: payer.address, role: WRITABLE }, authority, of], u32(5)),
    call: { programAddress: program.address, accounts: [], data: Uint8Array.of(255) } as Instruction,
  };
}
