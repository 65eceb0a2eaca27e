import { createLegworkClient } from '@legwork/sdk';
import { beforeAll, expect, test } from 'vitest';
import { checkClaims } from '@legwork/audit';
import { claim, handIn, untilTask } from '../operations/digitalTasks/scene.js';
import { newAddress } from '../operations/digitalTasks/rows.js';
import { type Party, withService } from '../support/service.js';
import { untilQuiet } from '../support/snapshot.js';
import {
  ADMIN_KEY,
  anySignature,
  claimInput,
  doTask,
  ownTask,
  REWARDS,
  sponsoredTask,
  tokenTask,
} from '../operations/rewards/scene.js';

const service = withService(REWARDS);
/** Two that earned, one that earned nothing; the first goes on after its claim. */
let agents: [Party, Party, Party];
let csv: string;

async function register(agent: Party): Promise<void> {
  const { devnetEarningsLamports } = await agent.client.previewRewardClaim({ devnetPubkey: agent.pubkey });
  const confirmedEarningsLamports = Number(devnetEarningsLamports);
  await agent.client.registerRewardClaim(claimInput(agent, { confirmedEarningsLamports }));
}

function exported(): Promise<{ csv: string }> {
  return createLegworkClient({ url: service.current.server.url, adminKey: ADMIN_KEY }).exportRewardClaims();
}

function check(text: string) {
  return checkClaims({ csv: text, rpcUrl: service.current.ledger.rpcUrl, programId: service.current.server.programId });
}

beforeAll(async () => {
  const [poster, other] = [await service.current.party(2), await service.current.party(2)];
  const [first, second, third] = [
    await service.current.party(1),
    await service.current.party(1),
    await service.current.party(1),
  ];
  agents = [first, second, third];
  await doTask(service.current, first, await ownTask(poster, 0.02));
  await doTask(service.current, second, await ownTask(other, 0.01));
  await doTask(service.current, first, await sponsoredTask(other, 0.03));
  // Pay in a token is no earnings. Rule M-94.
  await doTask(service.current, first, await tokenTask(other));
  // Confirmed at the same time, so that some are of the same slot.
  const tasks = await Promise.all([0.011, 0.012, 0.013].map((sol) => ownTask(poster, sol)));
  for (const task of tasks) await claim(second, task, 0, 0.001);
  await Promise.all(tasks.map((task) => handIn(second, task, 0)));
  for (const task of tasks) await untilTask(service.current, task.id, ({ status }) => status === 'completed');
  await untilQuiet(service.current);
  for (const agent of agents) await register(agent);
  await doTask(service.current, first, await ownTask(poster, 0.04));
  ({ csv } = await exported());
}, 120_000);

test('every figure of an export is what the ledger alone says, whatever was earned after the claim (M-69)', async () => {
  expect(
    csv
      .split('\r\n')
      .slice(1, 4)
      .map((line) => line.split(',').slice(4, 9)),
  ).toEqual([
    ['50000000', '30000000', '20000000', '2', '2'],
    ['46000000', '0', '46000000', '4', '2'],
    ['0', '0', '0', '0', '0'],
  ]);
  const found = await check(csv);
  expect(found).toMatchObject({
    differences: [],
    notes: [
      {
        subject: `claim of ${agents[0].pubkey}`,
        text: expect.stringMatching(/^40000000 lamports paid later are not counted, the first of them by tx \w+$/),
      },
    ],
    claims: 3,
  });
  expect(found.transactions).toBeGreaterThan(20);
});

/** The complaints of the check about the text: differences, or why it is no export. */
async function complaints(text: string): Promise<string[]> {
  try {
    return (await check(text)).differences.map((finding) => `${finding.subject}: ${finding.text}`);
  } catch (error) {
    return [`no export: ${String(error)}`];
  }
}

const KNOWN_TO_LEDGER = [
  'rank',
  'devnet_pubkey',
  'earnings_lamports',
  'sponsored_lamports',
  'self_funded_lamports',
  'legs',
  'distinct_posters',
  'last_confirm_signature',
];

/** Other values of a cell: a little more, a little less, none, and what other rows have there. */
function othersOf(cell: string, column: readonly string[]): string[] {
  const near = /^\d+$/.test(cell) ? [String(Number(cell) + 1), String(Number(cell) - 1), '0'] : [];
  // A claim of nothing is right for any key that was paid nothing.
  const key = cell.length > 30 && cell !== agents[2].pubkey ? [newAddress()] : [];
  const drawn = cell.length > 80 || cell === '' ? [anySignature()] : key;
  return [...new Set([...near, ...drawn, '', ...column])].filter((value) => value !== cell);
}

test.each(KNOWN_TO_LEDGER)('no other %s passes (M-69)', async (name) => {
  const [header = '', ...lines] = csv.split('\r\n');
  const at = header.split(',').indexOf(name);
  const rows = lines.filter((line) => line !== '').map((line) => line.split(','));
  const column = rows.map((row) => row[at] ?? '');
  for (const [index, row] of rows.entries()) {
    for (const value of othersOf(row[at] ?? '', column)) {
      const changed = rows.map((one) => (one === row ? one.with(at, value) : one).join(','));
      const text = [header, ...changed, ''].join('\r\n');
      expect({ index, value, found: (await complaints(text)).length > 0 }).toEqual({ index, value, found: true });
    }
  }
});

test('what differs is named with its claim, both figures and the transaction (M-69)', async () => {
  const [first] = agents;
  const line = csv.split('\r\n')[1] ?? '';
  const signature = line.split(',')[9] ?? '';
  expect(await complaints(csv.replace(',50000000,30000000,20000000,2,2,', ',60000000,30000000,30000000,3,2,'))).toEqual(
    [
      `claim of ${first.pubkey}: earnings is 60000000 here, 50000000 on the ledger (tx ${signature})`,
      `claim of ${first.pubkey}: self-funded part is 30000000 here, 20000000 on the ledger (tx ${signature})`,
      `claim of ${first.pubkey}: number of legs is 3 here, 2 on the ledger (tx ${signature})`,
    ],
  );
  const foreign = anySignature();
  expect(await complaints(csv.replace(signature, foreign))).toEqual([
    `claim of ${first.pubkey}: its last transaction ${foreign} paid this key nothing on the ledger`,
  ]);
});

test('a key that claims twice is named (M-67)', async () => {
  const [header, one = '', ...others] = csv.split('\r\n');
  const again = others.map((line, index) => line.replace(/^\d+/, String(index + 3)));
  const text = [header, one, one.replace(/^1/, '2'), ...again].join('\r\n');
  expect(await complaints(text)).toEqual([`claim of ${agents[0].pubkey}: is there more than once`]);
});

test('another program is not taken for this one', async () => {
  const programId = '11111111111111111111111111111111';
  const call = checkClaims({ csv, rpcUrl: service.current.ledger.rpcUrl, programId });
  await expect(call).rejects.toThrow(/does not show how the program \w+ was initialised/);
});
