import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isNode, LineCounter, parseDocument } from 'yaml';
import type { Document } from 'yaml';
import type { z } from 'zod';
import { policySchema } from './policy.js';
import type { Policy } from './policy.js';

/** A policy that was read: its file, and the folder in which its commands run. */
export type PolicyOfFile = Policy & { readonly file: string; readonly folder: string };

/** Policies with faults: the message has a line for each fault, with file and line. Nothing was started. */
export class PolicyError extends Error {
  override readonly name = 'PolicyError';
}

/**
 * The policies of a file, or of every `.yaml` file of a folder. Rule A-2.
 *
 * @throws {PolicyError} naming every fault of every file
 */
export async function readPolicies(path: string): Promise<PolicyOfFile[]> {
  const found = await stat(path).catch(() => undefined);
  if (!found)
    throw new PolicyError(`There is no policy ${path}. Make one: legwork init courier DIR, or worker for courier`);
  const files = found.isDirectory()
    ? (await readdir(path))
        .filter(isYaml)
        .sort()
        .map((name) => join(path, name))
    : [path];
  if (files.length === 0) throw new PolicyError(`There is no policy in ${path}: no file ends in .yaml`);
  const read = await Promise.all(files.map(async (file) => parsePolicy(file, await readFile(file, 'utf8'))));
  const faults = [...read.flatMap((one) => ('faults' in one ? one.faults : [])), ...sharedKeys(read)];
  if (faults.length > 0) throw new PolicyError(faults.join('\n'));
  return read.flatMap((one) => ('policy' in one ? [one.policy] : []));
}

const isYaml = (name: string) => /\.ya?ml$/.test(name);

type Parsed = { readonly policy: PolicyOfFile } | { readonly faults: readonly string[] };

/** Reads the text of a policy; `file` is for its faults, and what paths in it are relative to. */
export function parsePolicy(file: string, text: string): Parsed {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number) => `${file}:${lines.linePos(offset).line}`;
  if (document.errors.length > 0) {
    return { faults: document.errors.map(({ pos, message }) => `${at(pos[0])}: ${message}`) };
  }
  const read = policySchema.safeParse(document.toJS() ?? {});
  if (!read.success) {
    const placed = flatten(read.error.issues).map((issue) => ({ issue, offset: offsetOf(document, issue) }));
    placed.sort((a, b) => a.offset - b.offset);
    return { faults: placed.map(({ issue, offset }) => `${at(offset)}: ${sentenceOf(issue)}`) };
  }
  const folder = resolve(dirname(file));
  return { policy: { ...read.data, key: resolve(folder, read.data.key), file: resolve(file), folder } };
}

/** The issues, one for each unknown field, and of a union those of the form that comes nearest. */
function flatten(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  return issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({ ...issue, keys: [key], path: [...issue.path, key] }));
    }
    if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue];
    const [nearest = []] = [...issue.errors].sort((a, b) => a.length - b.length);
    return flatten(nearest.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })));
  });
}

function sentenceOf({ path, code, message }: z.core.$ZodIssue): string {
  const name = path.join('.') || 'the policy';
  return code === 'unrecognized_keys' ? `${name} is not a field of a policy` : `${name}: ${message}`;
}

/** Where the field at fault stands; of a missing one, where it should stand. */
function offsetOf(document: Document, { path }: z.core.$ZodIssue): number {
  for (let depth = path.length; depth > 0; depth -= 1) {
    const node = document.getIn(path.slice(0, depth), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}

/** Two agents with one key would bid against themselves. */
function sharedKeys(read: readonly Parsed[]): string[] {
  const keys = read.flatMap((one) => ('policy' in one ? [one.policy.key] : []));
  const repeated = keys.filter((key, index) => keys.indexOf(key) !== index);
  return [...new Set(repeated)].map((key) => `${key}: two policies name this key; every agent needs its own`);
}
