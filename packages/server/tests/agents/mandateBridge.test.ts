import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readKeyFile } from '@legwork/agents';
import { listingRent, rentMinimum, TOKEN_ACCOUNT_RENT } from '@legwork/program-client';
import { cancelDigitalTask } from '@legwork/sdk';
import { expect, test } from 'vitest';
import { balanceOf } from '../fees/scene.js';
import { type Mandated, mandated } from '../operations/mandateScene.js';
import { withService } from '../support/service.js';
import { fundedKey, type Person, startedBridge } from './bridgeClient.js';

const service = withService({ settings: (usual) => ({ ...usual, LIMIT_AIRDROPS: '0' }) });
const SLOW = 120_000;
const FEE = 5_000n;
const PAGE = new URL('../../../../docs/agents/mcp.md', import.meta.url);
const GOAL = {
  title: 'Count',
  description: 'Three words here.',
  legs: [{ instruction: 'Count them.' }],
  terms: 'plain',
};
const IN_USDC = { ...GOAL, maxBudget: '1500000', asset: 'usdc' };

/** The policy that the page shows, to the letter but for addresses of this machine. */
async function exampleFor(owner: string): Promise<string> {
  const page = await readFile(PAGE, 'utf8');
  const [, shown = ''] = /### From a mandate[\s\S]*?```yaml\n([\s\S]*?)```/.exec(page) ?? [];
  expect(shown).toContain('mandate: 4Efk4WxZ4Nv8TBVEfRwao3ZV7Cx1dTDHWkWZEmCR4jnT');
  return shown
    .replace('http://127.0.0.1:8080', service.current.server.url)
    .replace('4Efk4WxZ4Nv8TBVEfRwao3ZV7Cx1dTDHWkWZEmCR4jnT', owner);
}

/** A model's bridge with this policy, whose key somebody gave a mandate. */
async function modelOf(asset: 'usdc' | 'sol', policyFor: (owner: string) => Promise<string>, sol = 1) {
  const { current } = service;
  const { key, pubkey } = await fundedKey(current, sol);
  const folder = join(dirname(key), 'model');
  await mkdir(folder);
  const signer = await readKeyFile(key);
  const owner = await current.party(1);
  const of = await mandated(current, asset, { owner, delegate: { signer, pubkey, client: owner.client } });
  await writeFile(join(folder, 'agent.json'), await readFile(key), { mode: 0o600 });
  await writeFile(join(folder, 'legwork.yaml'), await policyFor(owner.pubkey));
  const person: Person = { asked: [], answer: 'decline' };
  return { of, pubkey, person, ...(await startedBridge([], { cwd: folder, person })) };
}

const heldBy = ({ held }: Mandated) => held();

test('a model with the policy of the page lists from the mandate, reads before who pays, and its owner cancels (A-153, P-118)', {
  timeout: SLOW,
}, async () => {
  const { current } = service;
  const { of, pubkey, person, answerOf, refusalOf } = await modelOf('usdc', exampleFor);
  const { owner, at } = of;
  const before = await heldBy(of);
  const wallet = { owner: owner.pubkey, at, left: '5 USDC', held: '20 USDC' };
  expect(await answerOf('wallet')).toMatchObject({
    others: [
      {
        mandate: {
          ...wallet,
          pays: 'budget and rents of what you list; what is left returns there',
          youPay: 'the fee, and 0.00203928 SOL of rent for each, which goes there too',
        },
      },
    ],
  });
  const lamports = await balanceOf(current, pubkey);
  const posted = await answerOf('post_task', IN_USDC);
  expect(posted).toMatchObject({ status: 'listed', locked: '1.5', asset: 'usdc', mandateOwnerPubkey: owner.pubkey });
  const rent = listingRent('task', false);
  expect(await heldBy(of)).toEqual({ lamports: before.lamports - rent, units: before.units - 1_500_000n });
  expect(await balanceOf(current, pubkey)).toBe(lamports - FEE - TOKEN_ACCOUNT_RENT);
  expect(await answerOf('wallet')).toMatchObject({ others: [{ mandate: { left: '3.5 USDC', held: '18.5 USDC' } }] });

  // Its own limits hold, whatever the mandate would pay; and no argument names another payer.
  expect(await refusalOf('post_task', { ...IN_USDC, maxBudget: '2000001' })).toMatchObject({ code: 'not_allowed' });
  expect(person.asked.join('\n')).toContain(`Of that the mandate at ${at} pays 2.000001 USDC and 0.0030624 SOL`);
  const other = { ...IN_USDC, mandateOwnerPubkey: pubkey };
  expect(await refusalOf('post_task', other)).toMatchObject({ code: 'invalid_input' });
  expect((await heldBy(of)).units).toBe(before.units - 1_500_000n);

  const taskId = String(posted['taskId']);
  await cancelDigitalTask(owner.client, current.rpc, owner.signer, taskId);
  expect(await heldBy(of)).toEqual({ lamports: before.lamports - rent + TOKEN_ACCOUNT_RENT, units: before.units });
  const again = await answerOf('post_task', IN_USDC);
  await answerOf('cancel_or_reclaim', { taskId: again['taskId'] });
  expect((await heldBy(of)).units).toBe(before.units);
});

test('a model lists in SOL from a mandate and pays the fee alone, within the limits that count all of it (A-153, M-96)', {
  timeout: SLOW,
}, async () => {
  const { current } = service;
  const policyFor = (owner: string) =>
    Promise.resolve(
      JSON.stringify({
        service: current.server.url,
        key: 'agent.json',
        limits: { perTransaction: 0.02, perDay: 0.03, inAll: 1, mandate: owner },
      }),
    );
  const { of, person, answerOf, refusalOf, pubkey } = await modelOf('sol', policyFor);
  const before = await heldBy(of);
  expect(await answerOf('wallet')).toMatchObject({ mandate: { left: '0.05 SOL', youPay: 'the fee' } });
  const lamports = await balanceOf(current, pubkey);
  const asked = { ...GOAL, maxBudgetSol: 0.01 };
  expect(await answerOf('post_task', asked)).toMatchObject({ lockedSol: '0.01', mandateOwnerPubkey: of.owner.pubkey });
  const rents = listingRent('task', false) + rentMinimum(0);
  expect((await heldBy(of)).lamports).toBe(before.lamports - 10_000_000n - rents);
  expect(await balanceOf(current, pubkey)).toBe(lamports - FEE);
  await answerOf('post_task', asked);
  expect(await refusalOf('post_task', asked)).toMatchObject({ code: 'not_allowed' });
  expect(person.asked.join('\n')).toContain('limits.perDay is 0.03 SOL');
});
