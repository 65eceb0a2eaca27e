import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import canonicalize from 'canonicalize';
import { z } from 'zod';
import type { PrivatePart, PrivateParts } from '../contract/operations/personalData.js';
import { type Artifact, artifact } from '../contract/resources/artifact.js';
import type { Requirements } from '../contract/terms.js';
import type { Coordinate } from './geo.js';

const LONE_SURROGATE = /\p{Surrogate}/u;

/** The terms that a poster signs for in addition to budget and deadline, which the ledger holds itself. */
export interface PackageTerms {
  readonly description: string;
  readonly origin: Coordinate;
  readonly destination: Coordinate;
  readonly weightKg: number;
  readonly volumeLitres: number;
  /** Not part of the document where there are none: what was listed before there were any keeps its hash. */
  readonly requirements?: Requirements | null | undefined;
  readonly salt?: Salt;
  readonly privateHashes?: PrivateHashes | null | undefined;
}

/** The sha256 of each private part, hexadecimal; null: there is no such part. */
export type PrivateHashes = Record<keyof PrivateParts, string | null>;

/**
 * 32 random hexadecimal digits that make a document one of version 2, whose hash nobody can test guesses against. Without one
 * the document is of version 1, as what was listed before there were salts.
 */
type Salt = string | null | undefined;

/** A sha256, of terms or of a result. */
export interface TermsHash {
  readonly bytes: Uint8Array;
  /** 64 lower-case hexadecimal digits. */
  readonly hex: string;
}

/** The RFC 8785 canonical JSON of a value: what is hashed and signed. @throws {RangeError} when it has none */
export function canonicalJson(value: object): string {
  const document = canonicalize(value);
  if (document === undefined) throw new RangeError('this has no canonical JSON');
  return document;
}

/** The canonical JSON of the members, and of version and salt where there is a salt. @throws {RangeError} */
function documentOf(members: object, texts: readonly string[], salt: Salt): string {
  if (texts.some((text) => LONE_SURROGATE.test(text))) {
    throw new RangeError('the terms hold half a surrogate pair; give well-formed Unicode text');
  }
  return canonicalJson({ ...members, ...(salt && { v: 2, salt }) });
}

/**
 * The RFC 8785 canonical JSON of the terms: the members of {@link PackageTerms}, with a salt `v` too, and no others.
 *
 * @throws {RangeError} for NaN, infinities, or text with half a surrogate pair, which have no canonical JSON
 */
export function packageTermsDocument(terms: PackageTerms): string {
  const { description, origin, destination, weightKg, volumeLitres, requirements, salt, privateHashes } = terms;
  for (const value of [origin.lat, origin.lng, destination.lat, destination.lng, weightKg, volumeLitres]) {
    if (!Number.isFinite(value)) {
      throw new RangeError(`${value} in the terms is not a finite number`);
    }
  }
  const members = {
    description,
    origin: { lat: origin.lat, lng: origin.lng },
    destination: { lat: destination.lat, lng: destination.lng },
    weightKg,
    volumeLitres,
    ...(requirements && { requirements }),
    ...(privateHashes && { private: given(privateHashes) }),
  };
  return documentOf(members, [description], salt);
}

/** sha256 of the UTF-8 bytes of {@link packageTermsDocument}: the `terms_hash` on-chain. Rule M-30. */
export function packageTermsHash(terms: PackageTerms): TermsHash {
  const bytes = sha256(utf8ToBytes(packageTermsDocument(terms)));
  return { bytes, hex: bytesToHex(bytes) };
}

/** Those that are there. */
const given = (hashes: PrivateHashes) => Object.fromEntries(Object.entries(hashes).filter(([, hash]) => hash !== null));

/** The terms' hashes of the private parts: the sha256 of the canonical JSON of each, with its own salt. Rule S-140. */
export function privateHashes({ pickup, dropoff }: PrivateParts): PrivateHashes {
  return { pickup: pickup ? privatePartHash(pickup) : null, dropoff: dropoff ? privatePartHash(dropoff) : null };
}

function privatePartHash({ salt, address, contact, note }: PrivatePart): string {
  return bytesToHex(sha256(utf8ToBytes(canonicalJson({ salt, address, contact, note }))));
}

/** A place as the public sees it whose exact address is private: within 654 m at 52 degrees north. */
export function publicPlace({ lat, lng }: Coordinate): Coordinate {
  return { lat: Math.round(lat * 100) / 100, lng: Math.round(lng * 100) / 100 };
}

/** The terms that the poster of a digital task signs for in addition to budget, legs and deadline, which the ledger holds itself. */
export interface TaskTerms {
  readonly title: string;
  readonly description: string;
  /** The instructions for each leg's agent, in order. */
  readonly instructions: readonly string[];
  /** As of {@link PackageTerms}. */
  readonly requirements?: Requirements | null | undefined;
  readonly salt?: Salt;
}

/**
 * The RFC 8785 canonical JSON of the terms: the members of {@link TaskTerms}, with a salt `v` too, and no others.
 *
 * @throws {RangeError} for text with half a surrogate pair, which has no canonical JSON
 */
export function taskTermsDocument({ title, description, instructions, requirements, salt }: TaskTerms): string {
  const members = { title, description, instructions: [...instructions], ...(requirements && { requirements }) };
  return documentOf(members, [title, description, ...instructions], salt);
}

/** sha256 of the UTF-8 bytes of {@link taskTermsDocument}: the `terms_hash` on-chain. Rule M-50. */
export function taskTermsHash(terms: TaskTerms): TermsHash {
  const bytes = sha256(utf8ToBytes(taskTermsDocument(terms)));
  return { bytes, hex: bytesToHex(bytes) };
}

/**
 * The hash of a result, which the ledger holds with the confirmation of its leg: the sha256 of its UTF-8 bytes; of a result with files
 * that of the canonical JSON of both. Rules M-58, M-83.
 *
 * @param artifacts in the order in which they were handed in
 * @throws {RangeError} for names with half a surrogate pair, which have no canonical JSON
 */
export function resultHash(result: string, artifacts: readonly Artifact[] = []): TermsHash {
  const bytes = sha256(utf8ToBytes(resultDocument(result, artifacts)));
  return { bytes, hex: bytesToHex(bytes) };
}

const documentForm = z.strictObject({ v: z.literal(1), result: z.string(), artifacts: z.array(artifact).min(1) });

/** Reads what {@link resultDocument} wrote. A text that is no such document is a result without files. */
export function readResultDocument(text: string): { result: string; artifacts: readonly Artifact[] } {
  if (!text.startsWith('{"artifacts":[')) return { result: text, artifacts: [] };
  try {
    const { result, artifacts } = documentForm.parse(JSON.parse(text));
    if (resultDocument(result, artifacts) === text) return { result, artifacts };
  } catch {
    // A text of its own that only begins like one.
  }
  return { result: text, artifacts: [] };
}

/** The document that a result's hash covers: its text, or the canonical JSON of it and its files. Throws as {@link resultHash}. */
export function resultDocument(result: string, artifacts: readonly Artifact[] = []): string {
  if (artifacts.length === 0) return result;
  const listed = artifacts.map(({ sha256: hash, bytes, name, contentType }) => ({
    sha256: hash,
    bytes,
    name,
    contentType,
  }));
  if (LONE_SURROGATE.test(result) || listed.some(({ name }) => LONE_SURROGATE.test(name))) {
    throw new RangeError('the result holds half a surrogate pair; give well-formed Unicode text');
  }
  return canonicalJson({ v: 1, result, artifacts: listed });
}
