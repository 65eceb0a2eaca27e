import {
  agentsCounted,
  decodeRelayInstruction,
  getClaimInstruction,
  isAboutPackage,
  isAboutTask,
  listingAccounts,
  type RelayInstruction,
} from '@legwork/program-client';
import { createNoopSigner, type Instruction } from '@solana/kit';
import { expect, test } from 'vitest';
import { addresses, confirmLegFixture, governanceFixtures, programAddress } from './fixtures.js';
import { taskFixtures } from './taskFixtures.js';

function decoded(instruction: Instruction): RelayInstruction {
  const found = decodeRelayInstruction(programAddress, instruction);
  if (found === undefined) throw new Error('it is an instruction of the program');
  return found;
}

test('an instruction names the listing that it is about, and a move names one of either kind', async () => {
  const { instruction, accounts } = await confirmLegFixture();
  const [confirmation, about] = [decoded(instruction), accounts.package];
  const { instructions, named } = await taskFixtures();
  const ofTask = Object.values(instructions).map(decoded);
  const { courier, listing, leg } = await addresses('courier', 'listing', 'leg');
  const signer = createNoopSigner(courier);
  const evidenceHash = new Uint8Array(32);
  const claim = decoded(
    getClaimInstruction({ courier: signer, listing, leg, formation: 1, evidenceHash }, { programAddress }),
  );
  expect(listingAccounts([confirmation, ...ofTask, claim, confirmation])).toEqual([about, named.task, listing]);
  expect([confirmation, claim].every(isAboutPackage)).toBe(true);
  expect([...ofTask, claim].every(isAboutTask)).toBe(true);
  expect(isAboutTask(confirmation) || ofTask.some(isAboutPackage)).toBe(false);
});

test('what governs the program is about no listing and counts for nobody', async () => {
  const { setCoordinator, setPaused, proposeAuthority, acceptAuthority } = (await governanceFixtures()).instructions;
  const governing = [setCoordinator, setPaused, proposeAuthority, acceptAuthority].map(decoded);
  expect(listingAccounts(governing)).toEqual([]);
  expect(agentsCounted(governing)).toEqual([]);
});

test('a confirmation may count for who brought the parcel and for who takes it over (T-100)', async () => {
  const { instruction, accounts } = await confirmLegFixture();
  expect(agentsCounted([decoded(instruction)])).toEqual([accounts.courier, accounts.recipient]);
  const { instructions, named } = await taskFixtures();
  expect(agentsCounted([decoded(instructions.confirmTaskLeg), decoded(instructions.listTask)])).toEqual([named.agent]);
});
