import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { lanAddresses, openCertificate } from '../../src/http/certificate.js';
import { selfSigned } from '../../src/http/der.js';

const DAY_MS = 86_400_000;

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'certificate-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

const inFolder = (folder: string) => join(folder, 'https', 'certificate.pem');

test('[S-230] the first start makes a certificate for every address of this machine, and its key for the owner alone', async () => {
  const folder = await newFolder();
  const now = new Date();
  const { pem, fingerprint, hosts } = await openCertificate(join(folder, 'https'), now);
  const x509 = new X509Certificate(pem);
  expect((await stat(inFolder(folder))).mode & 0o777).toBe(0o600);
  expect(await readFile(inFolder(folder), 'utf8')).toBe(pem);
  expect(x509.fingerprint256).toBe(fingerprint);
  expect(x509.verify(x509.publicKey)).toBe(true);
  expect(x509.checkPrivateKey(createPrivateKey(pem))).toBe(true);
  expect(x509.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
  expect(x509.ca).toBe(false);
  expect(x509.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
  const [from, until] = [Date.parse(x509.validFrom), Date.parse(x509.validTo)];
  expect(until - from).toBeLessThan(398 * DAY_MS);
  expect(from).toBeLessThan(now.getTime());
  expect(x509.checkHost('localhost')).toBe('localhost');
  for (const address of ['127.0.0.1', '::1', ...lanAddresses()]) expect(x509.checkIP(address)).toBe(address);
  expect(hosts).toEqual(expect.arrayContaining(['localhost', '127.0.0.1', '::1', ...lanAddresses()]));
});

test('[S-230] the next start shows the same one, until its last month: then another with the same key', async () => {
  const folder = join(await newFolder(), 'https');
  const now = new Date();
  const first = await openCertificate(folder, now);
  expect(await openCertificate(folder, new Date(now.getTime() + 360 * DAY_MS))).toEqual(first);
  const later = new Date(now.getTime() + 370 * DAY_MS);
  const renewed = await openCertificate(folder, later);
  expect(renewed.fingerprint).not.toBe(first.fingerprint);
  expect(Date.parse(new X509Certificate(renewed.pem).validTo)).toBeGreaterThan(later.getTime() + 300 * DAY_MS);
  expect(new X509Certificate(renewed.pem).publicKey.equals(new X509Certificate(first.pem).publicKey)).toBe(true);
});

test('[S-230] a certificate that lacks an address of this machine is made again; one from elsewhere is used as it is', async () => {
  const folder = await newFolder();
  const { pem } = await openCertificate(join(folder, 'https'), new Date());
  const key = createPrivateKey(pem);
  const facts = { hosts: ['localhost'], from: new Date(0), until: new Date(DAY_MS) };
  const stored = (commonName: string) =>
    `${key.export({ type: 'pkcs8', format: 'pem' }).toString()}${new X509Certificate(selfSigned(key, { ...facts, commonName })).toString()}`;
  await writeFile(inFolder(folder), stored('Legwork on another'));
  expect((await openCertificate(join(folder, 'https'), new Date())).hosts).toContain('127.0.0.1');
  const theirs = stored('relay.example');
  await writeFile(inFolder(folder), theirs);
  expect(await openCertificate(join(folder, 'https'), new Date())).toMatchObject({ hosts: ['localhost'] });
  expect(await readFile(inFolder(folder), 'utf8')).toBe(theirs);
});

test.each([
  ['garbage', () => 'not PEM'],
  ['nothing', () => ''],
  ['a certificate without its key', (pem: string) => new X509Certificate(pem).toString()],
  [
    'a certificate and the key of another',
    (pem: string, other: string) =>
      `${createPrivateKey(other).export({ type: 'pkcs8', format: 'pem' }).toString()}${new X509Certificate(pem).toString()}`,
  ],
])('[S-230] a file that holds %s is named and left alone', async (_what, spoiled) => {
  const folder = await newFolder();
  const [one, other] = [
    await openCertificate(join(folder, 'https'), new Date()),
    await openCertificate(join(folder, 'other'), new Date()),
  ];
  const text = spoiled(one.pem, other.pem);
  await writeFile(inFolder(folder), text);
  await expect(openCertificate(join(folder, 'https'), new Date())).rejects.toThrow(
    `HTTPS_DIR: ${inFolder(folder)} does not hold a private key and its certificate`,
  );
  expect(await readFile(inFolder(folder), 'utf8')).toBe(text);
});
