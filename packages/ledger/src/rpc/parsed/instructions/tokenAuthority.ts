/**
 * Who signs for a token instruction: the account at `index`, or, when others follow, the multisig there with its
 * signers, under a name of its own.
 */
export function signedBy(
  accounts: readonly string[],
  index: number,
  name: string,
  multisigName: string = `multisig${name.charAt(0).toUpperCase()}${name.slice(1)}`,
): object {
  const [owner, ...signers] = accounts.slice(index);
  if (owner === undefined) return {};
  return signers.length === 0 ? { [name]: owner } : { [multisigName]: owner, signers };
}
