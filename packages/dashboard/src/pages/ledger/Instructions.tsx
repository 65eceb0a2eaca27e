import type { LedgerInstruction, LedgerTransaction } from '../../checks/ledgerTransaction.js';
import type { RelayInstruction } from '@legwork/program-client';
import { commonInstruction, programName, rolesByAddress, rolesOf } from '../../checks/instructionWords.js';
import { getBase16Decoder } from '@solana/kit';
import { Key } from '../../ui/Key.js';
import { Facts, Panel } from '../../ui/Panel.js';
import styles from './ledger.module.css';
import { rowsOf } from './Value.js';
import { titleOf, valuesOf } from './values.js';
import { t } from '../../language.js';

/** What a transaction does, in the order it ran; what an instruction called stands below it, set in. */
export function Instructions({ of: { instructions, error } }: { of: LedgerTransaction }) {
  const roles = rolesByAddress(instructions);
  return (
    <Panel title={error === undefined ? t('Instructions') : t('Instructions, none of which took effect')}>
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
          of={accounts.map(([role, address]) => [t(titleOf(role)), <Key key={role} value={address} page="account" />])}
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
        {does ?? t('Instruction')} <span className={styles.dim}>{name ?? t('of another program')}</span>
      </h3>
      {name === undefined && <Facts of={[[t('Program'), <Key key="program" value={program} page="account" />]]} />}
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
          <summary>{t('{size, plural, one {# byte} other {# bytes}}', { size: data.length })}</summary>
          <code className={styles.bytes}>{getBase16Decoder().decode(data)}</code>
        </details>
      )}
    </>
  );
}
