import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommand, startCommand, temporaryFolders } from './support/command.js';

/** A bound for a machine that is busy with other tests. */
const SLOW = 600_000;
const newFolder = temporaryFolders();

test('[S-230] start --https tells where phones come in, shows a code to scan, and keeps its certificate', {
  timeout: SLOW,
}, async () => {
  const data = await newFolder();
  const shown: string[] = [];
  for (const _start of ['first', 'second']) {
    const command = startCommand(['start', '--https', '--data', data, '--port', '0', '--ledger-port', '0']);
    await command.shows('compare its SHA-256 fingerprint');
    const x509 = new X509Certificate(await readFile(join(data, 'https', 'certificate.pem'), 'utf8'));
    await command.shows(x509.fingerprint256);
    shown.push(x509.fingerprint256);
    const url = /Phones {3}(https:\/\/\S+:\d+)\/\n/.exec(command.stdout())?.[1] ?? '';
    expect(command.stdout()).toMatch(/^ +[█▀▄]/m);
    const { url: local, mcpUrl } = JSON.parse(await readFile(join(data, 'instance.json'), 'utf8')) as {
      url: string;
      mcpUrl: string;
    };
    expect(mcpUrl).toBe(`${local}/mcp`);
    expect(await (await fetch(`${local}/config`)).json()).toMatchObject({ publicUrl: url });
    const agent = await runCommand(['packages', '--url', local]);
    expect(agent).toMatchObject({ code: 0, stderr: '' });
    command.child.kill('SIGTERM');
    expect(await command.ended).toEqual({ code: 0, signal: null });
  }
  expect(shown[1]).toBe(shown[0]);
});
