/** The HTTP port is taken. */
export class PortInUse extends Error {
  override readonly name = 'PortInUse';

  constructor(host: string, port: number) {
    super(`Port ${port} on ${host} is in use by another program. Stop it, or choose another port with PORT.`);
  }
}

/** The database belongs to a ledger other than the one the service is pointed at. */
export class ForeignDatabase extends Error {
  override readonly name = 'ForeignDatabase';

  constructor(what: 'ledger' | 'program', recorded: string, found: string) {
    super(
      `The database belongs to the ${what} ${recorded}, but the service is pointed at ${found}. ` +
        'Give the database of this ledger (DATABASE_URL), or the ledger of this database (SOLANA_RPC_URL, RELAY_PROGRAM_ID).',
    );
  }
}
