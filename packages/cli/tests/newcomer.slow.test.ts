import { createKeyFile, readSettings } from '@legwork/agents';
import { LegworkNetworkError } from '@legwork/sdk';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { Agent } from '../src/agent/agent.js';
import { whatNext } from '../src/agent/whatNext.js';
import { COMMAND, temporaryFolders } from './support/command.js';
import { runHere } from './support/line.js';
import { openTown, say } from './support/town.js';

const newFolder = temporaryFolders();
const ID = '01890000-0000-7000-8000-000000000000';
const PACKAGE = ['--from', '52.5,13.3', '--to', '52.5,13.4', '--what', 'books', '--kg', '1', '--litres', '1'];

test('what a newcomer gets wrong is said with what to do next, and with the command (A-177)', async () => {
  const folder = await newFolder();
  const { instance } = await openTown(folder, ['ada', 'ben']);
  const keys = { ada: join(folder, 'ada.json'), ben: join(folder, 'ben.json'), poor: join(folder, 'poor.json') };
  await createKeyFile(keys.poor);
  const wrong = async (key: string, ...words: string[]) => {
    const { code, stdout, stderr } = await runHere([...words, '--key', key, '--url', instance.url]);
    const program = await runHere([...words, '--key', key, '--url', instance.url, '--json']);
    expect({ words, code, stdout, lines: stderr.trimEnd().split('\n').length }).toEqual({
      words,
      code: 1,
      stdout: '',
      lines: 1,
    });
    const { error } = JSON.parse(program.stderr.trimEnd().split('\n').at(-1) ?? '') as { error: { next?: string } };
    expect(stderr).toContain(error.next);
    return stderr;
  };
  const post = (...more: string[]) => say<{ id: string }>(instance, keys.ben, ['post', ...more, '--terms', 'plain']);
  const { id: parcel } = await post('package', ...PACKAGE, '--budget', '0.1');
  const { id: task } = await post('task', '--title', 'A', '--what', 'B', '--leg', 'C', '--budget', '0.1');
  const show = (id: string) => expect.stringMatching(new RegExp(`legwork show ${id}`));
  // The id of another kind.
  expect(await wrong(keys.ada, 'claim', parcel)).toEqual(show(parcel));
  expect(await wrong(keys.ada, 'bid', task, '--cost', '0.1')).toContain(`${task} is a task.`);
  expect(await wrong(keys.ada, 'withdraw', parcel)).toContain(`${parcel} is a package.`);
  // Of nothing, and of nobody.
  expect(await wrong(keys.ada, 'bid', ID, '--cost', '0.1')).toContain('legwork packages and legwork tasks list');
  expect(await wrong(keys.ada, 'handoff', parcel)).toContain('legwork due --key');
  // No SOL.
  const terms = await say<{ id: string }>(instance, keys.ben, ['post', 'package', ...PACKAGE, '--budget', '0.1']);
  expect(await wrong(keys.poor, 'bid', terms.id, '--cost', '0.05')).toContain('legwork register --key');
  // Closed by now.
  await say(instance, keys.ben, ['cancel', parcel]);
  expect(await wrong(keys.ada, 'bid', parcel, '--cost', '0.05')).toEqual(show(parcel));
  // Nobody there.
  const nobody = await runHere(['packages', '--url', 'http://127.0.0.1:1']);
  expect(nobody).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('legwork start') });
});

test('where the ledger does not answer, nobody is told to start a service (A-177)', async () => {
  const agent = new Agent(await readSettings({ url: 'http://127.0.0.1:2/' }));
  const said = (words: string) => whatNext(agent, new LegworkNetworkError(words), {});
  expect(await said('GET http://127.0.0.1:2/config: nothing listens')).toContain('legwork start');
  expect(await said('The ledger at 127.0.0.1:2 did not answer: nothing listens at 127.0.0.1:2')).toBeUndefined();
});

test('a Node that is too old is named, and which one is needed (A-177)', () => {
  const older = `Object.defineProperty(process.versions, 'node', { value: '18.20.8' }); await import(${JSON.stringify(COMMAND)})`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', older], {
    encoding: 'utf8',
  });
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(/^legwork needs Node 20\.19 or newer, and this is 18\.20\.8: .+\n$/);
});
