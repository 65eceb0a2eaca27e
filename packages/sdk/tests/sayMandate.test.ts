import { closeMandate, decodeRelayInstruction, mandateAddress, PERMITS, setMandate } from '@legwork/program-client';
import { sayInstruction } from '@legwork/sdk';
import { address, createNoopSigner, generateKeyPairSigner, type Instruction } from '@solana/kit';
import { expect, test } from 'vitest';

const programAddress = address('BPFLoaderUpgradeab1e11111111111111111111111');
const NOBODY = address('11111111111111111111111111111111');

function said(instruction: Instruction): readonly string[] {
  const decoded = decodeRelayInstruction(programAddress, instruction);
  if (!decoded) throw new Error('it is an instruction of the program');
  return sayInstruction(decoded);
}

async function parties() {
  const [owner, delegate, mint] = await Promise.all([1, 2, 3].map(async () => (await generateKeyPairSigner()).address));
  if (!owner || !delegate || !mint) throw new Error('three keys are made');
  return { owner: createNoopSigner(owner), delegate, asset: { number: 7, mint } };
}

const limits = {
  permits: PERMITS.packages | PERMITS.tasks,
  cap: 1_500_000_000n,
  period: 86_400,
  expiresAt: 1_790_000_000n,
  maxAhead: 604_800,
  arbiter: NOBODY,
};

test('an owner is told whom a mandate lets list, with what, and how far (P-114)', async () => {
  const { owner, delegate } = await parties();
  const mandate = await mandateAddress(programAddress, { owner: owner.address, delegate, asset: 0 });
  expect(said(await setMandate(programAddress, { owner, delegate }, limits))).toEqual([
    `Lets ${delegate} list packages and digital tasks with what lies at ${mandate}`,
    'At most: 1.5 SOL in each period of 86400 seconds',
    'Deadlines: at most 604800 seconds ahead',
    'Until: 2026-09-21 14:13 UTC',
  ]);
});

test('in a token, with an arbiter, without an end, or until no date (P-114)', async () => {
  const { owner, delegate, asset } = await parties();
  const bound = { ...limits, permits: PERMITS.tasks, expiresAt: 0n, arbiter: delegate };
  const lines = said(await setMandate(programAddress, { owner, delegate, asset }, bound));
  expect(lines).toContain('At most: 1500000000 units of the token of asset 7 in each period of 86400 seconds');
  expect(lines).toContain(`Only with terms whose disputes ${delegate} rules`);
  expect(lines).toContain('For as long as its owner does not end it');
  const odd = { ...limits, permits: PERMITS.onlyWithTerms, expiresAt: (1n << 63n) - 1n };
  const others = said(await setMandate(programAddress, { owner, delegate, asset }, odd));
  expect(others[0]).toContain('list nothing with');
  expect(others).toContain('Only with terms');
  expect(others).toContain(`Until: second ${(1n << 63n) - 1n} since 1970`);
});

test('an owner is told what ends, and whom its money returns to (P-119)', async () => {
  const { owner, delegate } = await parties();
  const mandate = await mandateAddress(programAddress, { owner: owner.address, delegate, asset: 0 });
  expect(said(await closeMandate(programAddress, { owner, delegate }))).toEqual([
    `Ends the mandate ${mandate}; what it holds returns to ${owner.address}`,
  ]);
});
