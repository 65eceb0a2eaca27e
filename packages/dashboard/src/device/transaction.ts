import {
  ASSOCIATED_TOKEN_PROGRAM_ADDRESS,
  decodeRelayInstruction,
  INSTRUCTIONS,
  MEMO_PROGRAM_ADDRESS,
  readSignedText,
  type RelayInstruction,
} from '@legwork/program-client';
import { MAX_PRIORITY_FEE_LAMPORTS, type NameAsset, priorityFeeLamports, sayInstruction } from '@legwork/sdk';
import {
  type Address,
  address,
  getAccountMetasFromCompiledTransactionMessage,
  getCompiledTransactionMessageDecoder,
  getInstructionsFromCompiledTransactionMessage,
  getTransactionDecoder,
  type Instruction,
  isWritableRole,
} from '@solana/kit';
import { commonInstruction, programName, rolesByAddress } from '../checks/instructionWords.js';
import { isLogin } from './message.js';
import { figureIn, m, t } from '../language.js';

/** What a transaction says, from its bytes alone. */
export interface Read {
  /** What it does, a line each. */
  readonly lines: readonly string[];
  /** Why not to sign it; none: all of it is understood here. */
  readonly doubts: readonly string[];
  readonly feePayer: Address;
  /** What the ledger takes for it, at most. */
  readonly feeLamports: bigint;
  /** Who else signs it. */
  readonly others: readonly Address[];
  /** The accounts that it may change. */
  readonly writable: readonly Address[];
  /** What an account is in the program's instructions. */
  readonly roles: ReadonlyMap<string, string>;
}

const BASE_FEE_LAMPORTS = 5_000n;
const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111';
const HIDDEN_ACCOUNTS = m('It names accounts in lookup tables, which this device does not read.');

/**
 * Reads a transaction before its signer is asked. What is not understood to the last instruction is doubted. Rule D-71.
 *
 * @param nameAsset what the ledger says of a token that it takes
 * @throws {Error} when the bytes are no transaction that is understood here
 */
export function readWire(wire: Uint8Array, own: string, programId: string, nameAsset: NameAsset): Read {
  const { messageBytes, signatures } = getTransactionDecoder().decode(wire);
  const compiled = getCompiledTransactionMessageDecoder().decode(messageBytes);
  if (compiled.version === 1) throw new Error(t('This device does not understand version 1 transactions.'));
  const isHiding = 'addressTableLookups' in compiled && (compiled.addressTableLookups?.length ?? 0) > 0;
  if (isHiding) return unread(Object.keys(signatures).map(address), own);
  const instructions = getInstructionsFromCompiledTransactionMessage(compiled);
  const told = instructions.map((instruction) => tell(instruction, programId, nameAsset));
  const priorityFee = priorityFeeLamports(instructions);
  const signers = Object.keys(signatures).map(address);
  const feePayer = compiled.staticAccounts[0] ?? address(own);
  const proofs = instructions.filter((instruction) => readSignedText(instruction) !== undefined).length;
  return {
    lines: told.flatMap(({ lines }) => lines),
    doubts: [...told.flatMap(({ doubts = [] }) => doubts), ...feeDoubt(priorityFee)],
    feePayer,
    feeLamports: BASE_FEE_LAMPORTS * BigInt(signers.length + proofs) + priorityFee,
    others: signers.filter((signer) => signer !== own),
    writable: getAccountMetasFromCompiledTransactionMessage(compiled)
      .filter(({ role }) => isWritableRole(role))
      .map((account) => account.address),
    roles: rolesByAddress(told),
  };
}

function unread(signers: readonly Address[], own: string): Read {
  const [feePayer = address(own)] = signers;
  const others = signers.filter((signer) => signer !== own);
  const nothing = { lines: [], writable: [], roles: new Map<string, string>() };
  return { ...nothing, doubts: [t(HIDDEN_ACCOUNTS)], feePayer, feeLamports: BASE_FEE_LAMPORTS, others };
}

function feeDoubt(priorityFee: bigint): string[] {
  if (priorityFee <= MAX_PRIORITY_FEE_LAMPORTS) return [];
  return [
    t('It offers a fee of {amount} SOL, which is more than any transaction needs.', { amount: figureIn(priorityFee) }),
  ];
}

interface Told {
  readonly lines: readonly string[];
  readonly doubts?: readonly string[];
  readonly relay: RelayInstruction | undefined;
}

const known = (...lines: string[]): Told => ({ lines, relay: undefined });
const doubted = (...doubts: string[]): Told => ({ lines: [], doubts, relay: undefined });

function tell(instruction: Instruction, programId: string, nameAsset: NameAsset): Told {
  const { programAddress, accounts = [] } = instruction;
  const data = Uint8Array.from(instruction.data ?? []);
  if (programAddress === programId) return tellRelay(instruction, programId, nameAsset);
  if (programAddress === COMPUTE_BUDGET) return known();
  const opening = programAddress === ASSOCIATED_TOKEN_PROGRAM_ADDRESS ? tellOpening(instruction, data) : undefined;
  if (opening) return opening;
  if (programAddress === MEMO_PROGRAM_ADDRESS) return tellMemo(new TextDecoder().decode(data));
  const signed = readSignedText(instruction);
  if (signed)
    return known(
      t('Carries what {signer} signed: “{text}”', { signer: signed.signer, text: signed.text.replaceAll('\n', '; ') }),
    );
  const common = commonInstruction({ program: programAddress, data });
  const [from, to] = accounts;
  // What is told moves lamports or tokens from its first account to its second one; whose tokens, stands among what changes hands.
  if (common && from && to)
    return known(t('{what}, from {from} to {to}', { what: common, from: from.address, to: to.address }));
  const name = programName(programAddress);
  return doubted(
    name
      ? t('It holds an instruction of the {name} that this device does not understand.', { name })
      : t('It calls an unknown program: {program}. It may do anything with what this device holds.', {
          program: programAddress,
        }),
  );
}

function tellRelay(instruction: Instruction, programId: string, nameAsset: NameAsset): Told {
  const relay = decodeRelayInstruction(address(programId), instruction);
  if (relay === undefined) return doubted(t('It holds an instruction that the program of this service does not have.'));
  const lines = sayInstruction(relay, nameAsset).map((line) => t(line));
  if (lines.length === 0) {
    const what = t('It holds {instruction}, which only the coordinator or the authority of the program signs.', {
      instruction: relay.name,
    });
    return { ...doubted(what), relay };
  }
  const takes = relay.tokens && INSTRUCTIONS[relay.name].deposits !== null ? relay.tokens.asset : undefined;
  if (takes === undefined || nameAsset(takes)) return { lines, relay };
  return {
    lines,
    doubts: [t('It takes a token from this device, asset {asset}, that the ledger does not show.', { asset: takes })],
    relay,
  };
}

/** Opens nothing where there is one already. */
const OPEN_IDEMPOTENT = 1;

/** What opens a token account for who is paid, at the expense of its first account. */
function tellOpening({ accounts = [] }: Instruction, [kind, ...rest]: Uint8Array): Told | undefined {
  const [payer, , wallet] = accounts;
  if (kind !== OPEN_IDEMPOTENT || rest.length > 0 || !payer || !wallet) return undefined;
  return known(
    t('Opens a token account for {wallet} unless it has one; {payer} pays its rent', {
      wallet: wallet.address,
      payer: payer.address,
    }),
  );
}

function tellMemo(text: string): Told {
  const line = t('Says: “{text}”', { text });
  // Some wallets show who they are by such a memo: whoever has it may speak in their name.
  return isLogin(text) ? { ...known(line), doubts: [t('This memo acts in your name, as a login does.')] } : known(line);
}
