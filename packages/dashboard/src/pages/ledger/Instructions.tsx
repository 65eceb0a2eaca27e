import { formatSol } from '@legwork/sdk';
import type { LedgerInstruction, LedgerTransaction } from '../../checks/ledgerTransaction.js';
import type { RelayInstruction } from '@legwork/program-client';
import { wordsOf } from '../../checks/transaction.js';
import { getBase16Decoder } from '@solana/kit';
import { Key } from '../../ui/Key.js';
import { Facts, Panel } from '../../ui/Panel.js';
import styles from './ledger.module.css';
import { rowsOf } from './Value.js';
import { titleOf, valuesOf } from './values.js';

const SYSTEM = '11111111111111111111111111111111';
const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111';

/** Programs that everybody uses, by what they are called. */
const NAMES: Readonly<Record<string, string>> = {
  [SYSTEM]: 'System program',
  [COMPUTE_BUDGET]: 'Compute budget',
  AddressLookupTab1e1111111111111111111111111: 'Address lookup tables',
  BPFLoaderUpgradeab1e11111111111111111111111: 'Program loader',
  Ed25519SigVerify111111111111111111111111111: 'Signature check',
  MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr: 'Memo',
  TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA: 'Token program',
};

/** What a program is called; undefined: it is none that everybody uses. */
export function programName(program: string): string | undefined {
  return Object.hasOwn(NAMES, program) ? NAMES[program] : undefined;
}

/** What an instruction of the system program or of the compute budget does, in words; undefined: not told here. */
function commonInstruction({ program, data }: LedgerInstruction): string | undefined {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  if (program === SYSTEM && data.length >= 12) {
    const lamports = () => formatSol(view.getBigUint64(4, true));
    const kind = view.getUint32(0, true);
    if (kind === 2) return `Transfer ${lamports()} SOL`;
    if (kind === 0) return `Create an account with ${lamports()} SOL`;
  }
  if (program === COMPUTE_BUDGET && data.length >= 5) {
    if (data[0] === 2) return `At most ${view.getUint32(1, true)} compute units`;
    if (data[0] === 3 && data.length >= 9)
      return `Pay ${view.getBigUint64(1, true)} micro-lamports for each compute unit`;
  }
  return undefined;
}

/** The accounts of an instruction of the program, by what they are to it, in its order. */
function rolesOf(relay: RelayInstruction): [role: string, address: string][] {
  const named = Object.entries(relay.accounts).flatMap(([role, account]): [string, string][] =>
    account === undefined ? [] : [[wordsOf(role), account.address]],
  );
  return [...named, ...legsOf(relay)];
}

function legsOf(relay: RelayInstruction): [string, string][] {
  if (!('legs' in relay)) return [];
  return relay.legs.flatMap((leg, index): [string, string][] =>
    'address' in leg
      ? [[`leg ${index + 1}`, leg.address]]
      : [
          [`leg ${index + 1}`, leg.taskLeg.address],
          [`rent payer of leg ${index + 1}`, leg.rentPayer.address],
        ],
  );
}

/** What each account is in a transaction: its roles in the program's instructions. */
export function rolesByAddress(instructions: readonly LedgerInstruction[]): ReadonlyMap<string, string> {
  const roles = new Map<string, Set<string>>();
  for (const { relay } of instructions) {
    for (const [role, address] of relay === undefined ? [] : rolesOf(relay)) {
      roles.set(address, (roles.get(address) ?? new Set()).add(role));
    }
  }
  return new Map([...roles].map(([address, names]) => [address, [...names].join(', ')]));
}

/** What a transaction does, in the order it ran; what an instruction called stands below it, set in. */
export function Instructions({ of: { instructions, error } }: { of: LedgerTransaction }) {
  const roles = rolesByAddress(instructions);
  return (
    <Panel title={error === undefined ? 'Instructions' : 'Instructions, none of which took effect'}>
      <ol className={styles.instructions}>
        {instructions.map((instruction, at) => (
          <li key={at} className={styles.instruction} data-depth={Math.min(instruction.depth, 4)}>
            {instruction.relay ? <Relay of={instruction.relay} /> : <Foreign of={instruction} roles={roles} />}
          </li>
        ))}
      </ol>
    </Panel>
  );
}

/** Of the relay program: its accounts by role, its arguments by name. */
function Relay({ of: relay }: { of: RelayInstruction }) {
  const accounts = rolesOf(relay).filter(([, address]) => programName(address) === undefined);
  return (
    <>
      <h3>{titleOf(relay.name)}</h3>
      <div className={styles.columns}>
        <Facts
          of={accounts.map(([role, address]) => [titleOf(role), <Key key={role} value={address} page="account" />])}
        />
        <Facts of={rowsOf(valuesOf(relay.data))} />
      </div>
    </>
  );
}

interface ForeignProps {
  readonly of: LedgerInstruction;
  readonly roles: ReadonlyMap<string, string>;
}

/** Of a program that is not ours: what it does, if everybody knows it, else its bytes. */
function Foreign({ of: instruction, roles }: ForeignProps) {
  const { program, accounts, data } = instruction;
  const name = programName(program);
  const does = commonInstruction(instruction);
  return (
    <>
      <h3>
        {does ?? 'Instruction'} <span className={styles.dim}>{name ?? 'of another program'}</span>
      </h3>
      {name === undefined && <Facts of={[['Program', <Key key="program" value={program} page="account" />]]} />}
      {accounts.length > 0 && (
        <ol className={styles.accounts}>
          {accounts.map(({ address }, at) => (
            <li key={at}>
              <Key value={address} page="account" /> <span className={styles.dim}>{roles.get(address)}</span>
            </li>
          ))}
        </ol>
      )}
      {does === undefined && data.length > 0 && (
        <details>
          <summary>{data.length === 1 ? '1 byte' : `${data.length} bytes`}</summary>
          <code className={styles.bytes}>{getBase16Decoder().decode(data)}</code>
        </details>
      )}
    </>
  );
}
