/** Another process uses the data folder. */
export class LedgerInUseError extends Error {
  override readonly name = 'LedgerInUseError';
  readonly code = 'LEDGER_IN_USE';
  readonly dataDir: string;
  readonly pid: number;

  constructor(dataDir: string, pid: number) {
    super(
      `The ledger's data folder ${dataDir} is in use by process ${pid}. Stop that process, or choose another folder.`,
    );
    this.dataDir = dataDir;
    this.pid = pid;
  }
}

/** The port is taken. */
export class PortInUseError extends Error {
  override readonly name = 'PortInUseError';
  readonly code = 'PORT_IN_USE';
  readonly port: number;

  constructor(host: string, port: number) {
    super(`Port ${port} on ${host} is in use. Stop what uses it, choose another port, or 0 for any free one.`);
    this.port = port;
  }
}

/** A keypair file that cannot be used. */
export class MalformedKeypairFileError extends Error {
  override readonly name = 'MalformedKeypairFileError';
  readonly code = 'MALFORMED_KEYPAIR_FILE';
  readonly path: string;

  constructor(path: string, why: string) {
    super(
      `The keypair file ${path} cannot be used: ${why}. It should hold a JSON array of 64 numbers from 0 to 255, as solana-keygen writes it.`,
    );
    this.path = path;
  }
}

/** A data folder that this version cannot read. */
export class UnsupportedDataFolderError extends Error {
  override readonly name = 'UnsupportedDataFolderError';
  readonly code = 'UNSUPPORTED_DATA_FOLDER';

  constructor(dataDir: string, found: number, supported: number) {
    super(
      `The ledger's data folder ${dataDir} has format ${found}; this version reads format ${supported}. Use the version that wrote it, or another folder.`,
    );
  }
}

/** The file that holds the ledger cannot be read. */
export class DamagedStoreError extends Error {
  override readonly name = 'DamagedStoreError';
  readonly code = 'DAMAGED_STORE';
  readonly path: string;

  constructor(path: string, why: string) {
    super(
      `The ledger's file ${path} is damaged: ${why}. Put back a copy of the data folder, or use another folder; nothing was changed.`,
    );
    this.path = path;
  }
}

/** A file or folder that a new ledger is to begin with cannot be used. */
export class GivenFileError extends Error {
  override readonly name = 'GivenFileError';
  readonly code = 'GIVEN_FILE';
  readonly path: string;

  constructor(path: string, why: string, cause?: unknown) {
    super(`The ledger cannot begin with ${path}: ${why}.`, { cause });
    this.path = path;
  }
}

/** Another node, from which accounts are copied, does not say what is asked of it. */
export class RemoteError extends Error {
  override readonly name = 'RemoteError';
  readonly code = 'REMOTE_NODE';

  constructor(host: string, why: string) {
    super(`No account can be copied from ${host}: ${why}.`);
  }
}

/** A set of features that cannot be read, or is not the one that the ledger has. */
export class FeaturesError extends Error {
  override readonly name = 'FeaturesError';
  readonly code = 'FEATURES';
}
