import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLegworkClient } from '@legwork/sdk';
import { expect, test } from 'vitest';
import { temporaryFolders } from './support/command.js';
import { runHere } from './support/line.js';
import { openTown, say } from './support/town.js';

/** A bound for a machine that is busy with other tests. */
const SLOW = 600_000;
const newFolder = temporaryFolders();

const PARCEL = ['--what', 'a lamp', '--kg', '1', '--litres', '2', '--budget', '0.2'];
const WAY = ['--from', '52.5074,13.3326', '--to', '52.5031,13.4694'];

interface Signed {
  readonly code: string;
  readonly does: string;
  readonly next: string;
}

test('a handoff is signed by one, shown without a key and sent by another, and says before what it pays (A-132)', {
  timeout: SLOW,
}, async () => {
  const folder = await newFolder();
  const { instance } = await openTown(folder, ['shipper', 'courier', 'other']);
  const [shipper, courier, other] = ['shipper', 'courier', 'other'].map((name) => join(folder, `${name}.json`));
  const { id } = await say<{ id: string }>(instance, shipper, ['post', 'package', ...WAY, ...PARCEL]);
  await say(instance, courier, ['bid', id, '--cost', '0.05']);
  const client = createLegworkClient({ url: instance.url });
  const first = async () => (await client.getPackage({ packageId: id })).swarm?.legs[0];
  while ((await first())?.stage !== 'pending') await sleep(100);
  const legId = (await first())?.id ?? '';
  await say(instance, courier, ['move', 'accept', legId]);
  const { address } = await say<{ address: string }>(instance, courier, ['key', 'show', courier ?? '']).catch(
    async () => ({ address: (await first())?.agentPubkey ?? '' }),
  );

  // The one thing that waits for the shipper is found without an id.
  const handed = await say<Signed>(instance, shipper, ['handoff', 'sign']);
  expect(handed.does).toMatch(
    `Once ${address} has sent it, ${address} has the parcel for leg 1 of ${handed.code.split('\\n')[1]}. It pays nothing yet.`,
  );
  // It does what it is told: it keeps the parcel until the command that is printed says that the leg is carried.
  const shown = async () => (await runHere(printed(handed.next, /show [\da-f-]+.*/))).stdout;
  expect(handed.next).toContain('Let the parcel go only once leg 1 is shown as carried');
  expect(await shown()).toMatch(/leg 1 \(.*\) of \w+ is accepted/u);
  const file = join(folder, 'code.txt');
  await writeFile(file, `${handed.code}\n`);
  const wrong = await runHere(['handoff', 'send', file, '--url', instance.url, '--key', other ?? '']);
  expect(wrong).toMatchObject({ code: 1, stdout: '' });
  expect(wrong.stderr).toContain(`this pickup is sent by its courier, ${address}`);
  await say(instance, courier, ['handoff', 'send', file]);
  await expect.poll(shown).toMatch(/leg 1 \(.*\) of \w+ is carried/u);

  // Typed by a person: the code alone is printed, what is said and the picture of it go beside it.
  const noted = ['--noted', 'a corner is torn'];
  const typed = await runHere(['handoff', 'sign', legId, ...noted, '--url', instance.url, '--key', shipper ?? '']);
  expect(typed.stderr).toMatch(
    /^It pays 0\.0607\d+ SOL for leg 1 of \w+ to \w+, for good, as soon as anybody sends it\. What is noted .* holds nothing back/u,
  );
  expect(typed.stderr).toContain(`To contest it, do not sign: once ${address} has claimed that it is there, dispute`);
  expect(typed.stderr).toContain(`legwork move dispute ${legId} --file FILE`);
  expect(typed.stderr).toContain(address);
  expect(typed.stderr).toMatch(/▄.*█/u);
  expect(typed.stdout).toMatch(/^legwork-handoff:\{.*\}\n$/u);
  const code = typed.stdout.trim();
  const read = await runHere(['handoff', 'show', code, '--url', instance.url, '--key', join(folder, 'none.json')]);
  expect(read).toMatchObject({ code: 0, stderr: '' });
  expect(read.stdout).toContain('the parcel has arrived.\nThe ledger takes it now. It pays 0.0607');
  expect(read.stdout).toContain('\nreceived\nnoted ');
  const sent = await say(instance, other, ['handoff', 'send', code]);
  expect(sent).toMatchObject({ said: 'received' });
  await expect.poll(async () => (await client.getPackage({ packageId: id })).status).toBe('delivered');
  expect(await say(instance, courier, ['handoff', 'send', code])).toEqual(sent);
  expect(await say(instance, undefined, ['handoff', 'show', code])).toMatchObject({ isTaken: false });

  const refused = async (words: readonly string[], key = shipper) =>
    runHere(['handoff', ...words, '--url', instance.url, '--key', key ?? '']);
  for (const what of [await altered(file), 'legwork-handoff:{}']) {
    expect({ what, ...(await refused(['send', what])) }).toMatchObject({ what, code: 2, stdout: '' });
  }
  expect(await refused(['send', join(folder, 'no.txt')])).toMatchObject({ code: 2, stdout: '' });
  expect((await refused(['sign', id])).stderr).toContain(`No courier carries package ${id} now.`);
  expect((await refused(['sign'])).stderr).toContain('No handoff waits for your signature');
  expect(await refused(['sign', id, '--noted', 'torn.jpg'])).toMatchObject({ code: 2 });
  expect((await refused(['sign', 'door'])).code).toBe(2);
});

test('who takes a parcel over is told to send it itself, and how to contest instead; any key sends it after a claim (A-132, A-134)', {
  timeout: SLOW,
}, async () => {
  const folder = await newFolder();
  const { instance } = await openTown(folder, ['shipper', 'courier', 'next', 'other']);
  const [shipper = '', courier = '', next = '', other = ''] = ['shipper', 'courier', 'next', 'other'].map((name) =>
    join(folder, `${name}.json`),
  );
  const client = createLegworkClient({ url: instance.url });
  const legsOf = async (id: string) => (await client.getPackage({ packageId: id })).swarm?.legs ?? [];
  /** A package that the first of two couriers carries, and what the second says of it. */
  const noted = async () => {
    const { id } = await say<{ id: string }>(instance, shipper, ['post', 'package', ...WAY, ...PARCEL]);
    await say(instance, courier, ['bid', id, '--cost', '0.03', '--to', '52.5219,13.4132']);
    await say(instance, next, ['bid', id, '--cost', '0.03', '--from', '52.5219,13.4132']);
    while ((await legsOf(id))[1]?.stage !== 'pending') await sleep(100);
    const [legId = '', ownId = ''] = (await legsOf(id)).map((leg) => leg.id);
    await say(instance, courier, ['move', 'accept', legId]);
    await say(instance, next, ['move', 'accept', ownId]);
    for (const key of [shipper, courier]) await say(instance, key, ['move', 'take', legId]);
    const said = await say<Signed>(instance, next, ['handoff', 'sign', legId, '--noted', 'a corner is torn']);
    return { ...said, id, legId };
  };

  const contested = await noted();
  expect(contested.does).toMatch(/holds nothing back: .* To contest it, do not sign, and leave your own leg/u);
  expect(await runHere(printed(contested.does, /move vacate [^;]+/))).toMatchObject({ code: 0 });
  await expect.poll(async () => (await legsOf(contested.id))[1]?.stage).toBe('vacant');

  // The courier before claims instead of sending it; another wallet pays the fee.
  const { id, legId, code, next: then } = await noted();
  expect(then).toContain('send it yourself before your clock ends, with any key');
  const file = join(folder, 'claim.txt');
  await writeFile(file, 'Nobody came.');
  await say(instance, courier, ['move', 'claim', legId, '--file', file]);
  expect(await say(instance, other, ['handoff', 'send', code])).toMatchObject({ said: 'taken over' });
  await expect.poll(async () => (await legsOf(id))[1]?.stage).toBe('carried');
});

/** The words of the one command in a text that fit. */
function printed(text: string, pattern: RegExp): string[] {
  const [, words = ''] = new RegExp(`legwork (${pattern.source})`, 'u').exec(text) ?? [];
  return words.split(' ');
}

async function altered(file: string): Promise<string> {
  const text = await readFile(file, 'utf8');
  await writeFile(`${file}.altered`, text.replace('picked up', 'received'));
  return `${file}.altered`;
}
