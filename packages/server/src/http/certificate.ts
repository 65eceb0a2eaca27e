import { createPrivateKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../config.js';
import { selfSigned } from './der.js';

/** Key and certificate in one file, so that a crash leaves both as they were or both anew. */
const FILE = 'certificate.pem';
const MADE_HERE = 'Legwork on ';
const DAY_MS = 86_400_000;
/** Browsers take none that lives longer than 398 days. */
const DAYS = 397;
const RENEWED_BEFORE_DAYS = 30;

/** The service's certificate for TLS. */
export interface Certificate {
  /** The private key and the certificate, in PEM. */
  readonly pem: string;
  /** SHA-256 of the certificate, as browsers show it. */
  readonly fingerprint: string;
  /** The names and addresses that it is for. */
  readonly hosts: readonly string[];
}

/** Of containers and tunnels: a phone on the same network does not reach this machine there. */
const VIRTUAL = /^(?:docker|br-|veth|virbr|vmnet|vboxnet|utun|tun|tap|tailscale|zt|wg|bridge|cni|flannel)/i;

/** IPv4 addresses of this machine on its networks, the likeliest first. Those of IPv6 change daily, by design. */
export function lanAddresses(): string[] {
  const found = Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
    addresses
      .filter(({ family, internal }) => family === 'IPv4' && !internal)
      .map(({ address }) => ({ name, address })),
  );
  const isReal = ({ name }: { name: string }) => !VIRTUAL.test(name);
  return [...found.filter(isReal), ...found.filter((one) => !isReal(one))].map(({ address }) => address);
}

/** By what a client may call this machine. */
function hostsOfHere(): string[] {
  const name = hostname().toLowerCase();
  const named = /^[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?$/.test(name) && !/^[\d.]+$/.test(name) ? [name] : [];
  return [...new Set(['localhost', ...named, '127.0.0.1', '::1', ...lanAddresses()])];
}

function readHosts({ subjectAltName = '' }: X509Certificate): string[] {
  return subjectAltName.split(', ').flatMap((entry) => {
    const [kind, host = ''] = entry.split(/:(.*)/s);
    if (kind === 'IP Address' && host.includes(':')) return host === '0:0:0:0:0:0:0:1' ? ['::1'] : [host.toLowerCase()];
    return kind === 'DNS' || kind === 'IP Address' ? [host.toLowerCase()] : [];
  });
}

interface Kept {
  readonly pem: string;
  readonly key: KeyObject;
  readonly x509: X509Certificate;
}

/** @throws ConfigError when what is there is no key with its certificate: it may be the operator's, so it is not written over */
function read(pem: string, file: string): Kept {
  try {
    const [key, x509] = [createPrivateKey(pem), new X509Certificate(pem)];
    if (x509.checkPrivateKey(key)) return { pem, key, x509 };
  } catch {
    // Said below.
  }
  throw new ConfigError(
    `The configuration cannot be used. HTTPS_DIR: ${file} does not hold a private key and its certificate in PEM; put them there, or remove the file to have one made`,
  );
}

const isMadeHere = ({ subject, issuer }: X509Certificate) =>
  subject === issuer && subject.startsWith(`CN=${MADE_HERE}`);

/** True if it will do for a month, under every name of this machine. One that somebody else made is theirs to renew. */
function isGood({ x509 }: Kept, now: Date): boolean {
  if (!isMadeHere(x509)) return true;
  const hosts = readHosts(x509);
  const isFresh = Date.parse(x509.validTo) - now.getTime() > RENEWED_BEFORE_DAYS * DAY_MS;
  return isFresh && Date.parse(x509.validFrom) <= now.getTime() && hostsOfHere().every((host) => hosts.includes(host));
}

function make(now: Date, former: KeyObject | undefined): Kept {
  const key = former ?? generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey;
  // A phone whose clock is behind takes it too.
  const from = new Date(now.getTime() - DAY_MS);
  const until = new Date(from.getTime() + DAYS * DAY_MS - 1000);
  const hosts = hostsOfHere();
  const x509 = new X509Certificate(
    selfSigned(key, { commonName: `${MADE_HERE}${hostname()}`.slice(0, 64), hosts, from, until }),
  );
  return { pem: `${key.export({ type: 'pkcs8', format: 'pem' }).toString()}${x509.toString()}`, key, x509 };
}

/** Whole or not at all, and for the owner alone. */
async function keep(folder: string, pem: string): Promise<void> {
  const [file, fresh] = [join(folder, FILE), join(folder, `${FILE}.${process.pid}`)];
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(fresh, pem, { mode: 0o600 });
  await rename(fresh, file);
}

/**
 * The certificate of the folder; made where there is none, made again where it ends within a month or lacks an address of this machine.
 * The key stays. Rule S-230.
 *
 * @throws ConfigError when the file is there and cannot be used
 */
export async function openCertificate(folder: string, now: Date): Promise<Certificate> {
  const file = join(folder, FILE);
  const pem = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new ConfigError(
      `The configuration cannot be used. HTTPS_DIR: ${file} cannot be read (${error.code ?? error.message})`,
    );
  });
  let kept = pem === undefined ? undefined : read(pem, file);
  if (kept === undefined || !isGood(kept, now)) {
    kept = make(now, kept?.key);
    await keep(folder, kept.pem).catch((error: NodeJS.ErrnoException) => {
      throw new ConfigError(
        `The configuration cannot be used. HTTPS_DIR: ${file} cannot be written (${error.code ?? error.message})`,
      );
    });
  }
  return { pem: kept.pem, fingerprint: kept.x509.fingerprint256, hosts: readHosts(kept.x509) };
}
