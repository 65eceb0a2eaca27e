/** Programs that everybody uses, by what they are called. */
const NAMES: Readonly<Record<string, string>> = {
  '11111111111111111111111111111111': 'System',
  AddressLookupTab1e1111111111111111111111111: 'Lookup tables',
  ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL: 'Associated token',
  BPFLoader1111111111111111111111111111111111: 'Loader (first)',
  BPFLoader2111111111111111111111111111111111: 'Loader (second)',
  BPFLoaderUpgradeab1e11111111111111111111111: 'Loader',
  ComputeBudget111111111111111111111111111111: 'Compute budget',
  Config1111111111111111111111111111111111111: 'Config',
  Ed25519SigVerify111111111111111111111111111: 'Ed25519 check',
  KeccakSecp256k11111111111111111111111111111: 'Secp256k1 check',
  Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo: 'Memo (first)',
  MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr: 'Memo',
  Secp256r1SigVerify1111111111111111111111111: 'Secp256r1 check',
  Stake11111111111111111111111111111111111111: 'Stake',
  TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA: 'Token',
  TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb: 'Token-2022',
  Vote111111111111111111111111111111111111111: 'Vote',
};

/** What a program is called; its address when it has no name that everybody knows. @param relay the relay program's address */
export function programName(address: string, relay: string | undefined): string {
  if (address === relay) return 'Relay';
  return Object.hasOwn(NAMES, address) ? (NAMES[address] ?? address) : address;
}
