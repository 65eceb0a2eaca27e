import {
  getAcceptAuthorityInstruction,
  getClosePackageInstruction,
  getConfirmLegInstruction,
  getProposeAuthorityInstruction,
  getSetCoordinatorInstruction,
  getSetPausedInstruction,
  getSettleInstruction,
} from '@legwork/program-client';
import { address, createNoopSigner, generateKeyPairSigner, type Address } from '@solana/kit';

export const programAddress = address('SysvarRent111111111111111111111111111111111');

/** New addresses by these names. */
export async function addresses<Name extends string>(...names: Name[]): Promise<Record<Name, Address>> {
  const entries = await Promise.all(names.map(async (name) => [name, (await generateKeyPairSigner()).address]));
  return Object.fromEntries(entries);
}

/** A confirmation in formation 513, intermediate unless said otherwise. */
export async function confirmLegFixture({ isFinal = false } = {}) {
  const accounts = await addresses('recipient', 'package', 'swarm', 'leg', 'vault', 'courier', 'reputation', 'nextLeg');
  const { recipient, nextLeg, ...others } = accounts;
  const input = { ...others, recipient: createNoopSigner(recipient), formation: 513, ...(isFinal ? {} : { nextLeg }) };
  return { instruction: getConfirmLegInstruction(input, { programAddress }), accounts };
}

/** A settlement of two legs. */
export async function settleFixture() {
  const accounts = await addresses('signer', 'config', 'package', 'vault', 'funder', 'swarm', 'rentPayer');
  const legs = Object.values(await addresses('first', 'second'));
  const input = { ...accounts, signer: createNoopSigner(accounts.signer), legs };
  return { instruction: getSettleInstruction(input, { programAddress }), legs };
}

/** The instructions that need no legs, by their name. */
export async function governanceFixtures() {
  const {
    authority,
    config,
    other,
    package: packageAccount,
  } = await addresses('authority', 'config', 'other', 'package');
  const signer = createNoopSigner(authority);
  const to = { programAddress };
  const instructions = {
    setCoordinator: getSetCoordinatorInstruction({ authority: signer, config, coordinator: other }, to),
    setPaused: getSetPausedInstruction({ authority: signer, config, paused: true }, to),
    proposeAuthority: getProposeAuthorityInstruction({ authority: signer, config, newAuthority: other }, to),
    acceptAuthority: getAcceptAuthorityInstruction({ newAuthority: signer, config }, to),
    closePackage: getClosePackageInstruction({ signer, config, package: packageAccount, funder: other }, to),
  };
  return { instructions, config, other };
}
