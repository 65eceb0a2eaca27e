import { byteOperations, ERROR_CODES, type ErrorCode, type Operation, operations } from '@legwork/protocol/contract';
import { describe, expect, test } from 'vitest';
import { openApiDocument } from '../../src/http/openApi.js';

const ALL = { ...operations, ...byteOperations };
const document = openApiDocument({ publicUrl: 'https://relay.example', version: '9.9.9' });

/** The value at a path of names; fails where there is nothing. */
function at(from: unknown, ...path: string[]): unknown {
  let here = from;
  for (const name of path) {
    if (typeof here !== 'object' || here === null || !(name in here))
      throw new Error(`no ${name} in ${path.join('.')}`);
    here = Object.entries(here).find(([key]) => key === name)?.[1];
  }
  return here;
}

function namesIn(value: unknown): string[] {
  return Object.keys(Object(value));
}

const describedAt = ({ path, method }: Pick<Operation, 'path' | 'method'>): unknown =>
  at(document, 'paths', path.replace(/:(\w+)/g, '{$1}'), method.toLowerCase());
const schema = (name: string, ...path: string[]): unknown => at(document, 'components', 'schemas', name, ...path);

function refsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (key === '$ref' ? [String(inner)] : refsIn(inner)));
}

describe('the OpenAPI document', () => {
  test.each(Object.values<Operation>(ALL))('[S-40] has $name at its path and method, with its answer', (contract) => {
    const described = describedAt(contract);
    expect(at(described, 'operationId')).toBe(contract.name);
    expect(namesIn(at(described, 'responses'))).toContain(String(contract.status));
    expect(namesIn(described).includes('requestBody')).toBe(contract.body !== undefined || contract.bytes === 'sent');
  });

  test('[S-40] has nothing but the operations', () => {
    const described = Object.values(Object(at(document, 'paths'))).flatMap(namesIn);
    expect(described).toHaveLength(Object.keys(ALL).length);
  });

  test('[S-40] refers only to schemas that it holds', () => {
    const held = namesIn(at(document, 'components', 'schemas')).map((name) => `#/components/schemas/${name}`);
    const refs = refsIn(document);
    expect(refs.length).toBeGreaterThan(20);
    expect(refs.filter((ref) => !held.includes(ref))).toEqual([]);
  });

  test('[S-40] shows the wire: lamports as integers, instants as text, in requests and answers', () => {
    expect(schema('GetStatsAnswer', 'properties', 'volumeLamports', 'type')).toBe('integer');
    expect(schema('SubmitBidAnswer', 'properties', 'cost', 'type')).toBe('string');
    expect(schema('Swarm', 'properties', 'total', 'type')).toBe('string');
    expect(schema('Package', 'properties', 'deadline')).toMatchObject({ type: 'string', format: 'date-time' });
    expect(schema('BuildListTxBody', 'properties', 'deadline')).toMatchObject({ type: 'string', format: 'date-time' });
  });

  test('[S-40] names shared resources once', () => {
    expect(schema('ListPackagesAnswer')).toMatchObject({ items: { $ref: '#/components/schemas/Package' } });
    expect(refsIn(schema('PackageDetail')).toSorted()).toEqual(
      ['PrivateHashes', 'Requirements', 'Swarm', 'Terms'].map((name) => `#/components/schemas/${name}`),
    );
    expect(refsIn(describedAt(operations.getPackage))).toContain('#/components/schemas/PackageDetail');
  });

  test('[S-40] names what a union is of, which generated clients would else give one name twice', () => {
    const unnamed = (value: unknown, path: string): string[] => {
      if (typeof value !== 'object' || value === null) return [];
      return Object.entries(value).flatMap(([key, inner]) => [
        ...(/^(any|one)Of$/.test(key) && JSON.stringify(inner).includes('"properties":') ? [path] : []),
        ...unnamed(inner, `${path}/${key}`),
      ]);
    };
    expect(unnamed(document, '')).toEqual([]);
    expect(refsIn(schema('QueuedLeg'))).toEqual([
      '#/components/schemas/QueuedPhysicalLeg',
      '#/components/schemas/QueuedDigitalLeg',
    ]);
  });

  test('[S-40] says what is optional and what a default is', () => {
    expect(at(describedAt(operations.listPackages), 'parameters')).toContainEqual(
      expect.objectContaining({
        name: 'limit',
        in: 'query',
        required: false,
        schema: expect.objectContaining({ default: 50, minimum: 1, maximum: 200 }),
      }),
    );
    expect(at(describedAt(operations.getPackage), 'parameters')).toEqual([
      expect.objectContaining({ name: 'packageId', in: 'path', required: true }),
    ]);
    expect(schema('SubmitBidBody', 'required')).not.toContain('expiresInSec');
  });

  test('[S-40] has for every body an example that the operation takes', () => {
    for (const contract of Object.values<Operation>(ALL)) {
      if (contract.body === undefined) continue;
      const content = at(describedAt(contract), 'requestBody', 'content', 'application/json');
      const { error } = contract.body.safeParse(at(content, 'example'));
      expect([contract.name, error?.message]).toEqual([contract.name, undefined]);
    }
  });

  test('[S-40] says beside each parameter what it is, and that what a query names may not be there', () => {
    expect(at(describedAt(operations.listPackages), 'parameters')).toContainEqual(
      expect.objectContaining({ name: 'near', description: 'latitude,longitude in degrees, WGS 84' }),
    );
    expect(namesIn(at(describedAt(operations.getMyRewardClaim), 'responses'))).toContain('404');
    expect(namesIn(at(describedAt(operations.listPackages), 'responses'))).not.toContain('404');
  });

  test('[S-40] has no expressions with classes of Unicode, which readers would take for letters', () => {
    expect(JSON.stringify(document)).not.toContain('\\\\P{');
  });

  test('[S-40] marks signed operations and tells how to sign', () => {
    const signed = Object.values<Operation>(ALL).filter(({ auth }) => auth === 'signed');
    expect(signed.map(({ name }) => name)).toContain('submitBid');
    for (const contract of signed) {
      const described = describedAt(contract);
      expect(at(described, 'security')).toEqual([{ pubkey: [], nonce: [], signature: [] }]);
      // The readers of these depend on where a leg stands: that is a conflict. Everybody can list their own.
      const notForThem = /^list(Evidence|PrivateReadings)$|^getPrivate/.test(contract.name) ? ['409'] : ['403'];
      const refused = ['401', ...(contract.name === 'listWebhooks' ? [] : notForThem)];
      expect(namesIn(at(described, 'responses'))).toEqual(expect.arrayContaining(refused));
    }
    expect(at(document, 'components', 'securitySchemes', 'signature', 'description')).toContain('svc-auth-v1');
  });

  test('[S-40] says where a signature or a key is for choice', () => {
    const signature = { pubkey: [], nonce: [], signature: [] };
    expect(at(describedAt(operations.registerAgent), 'security')).toEqual([{}, signature]);
    expect(at(describedAt(operations.postSponsored), 'security')).toEqual([{}, { apiKey: [] }, signature]);
    expect(at(describedAt(operations.getPackage), 'security')).toEqual([]);
    expect(at(document, 'components', 'securitySchemes', 'apiKey', 'name')).toBe('X-Api-Key');
  });

  test('[S-40] tells of limits, and that a POST may be named', () => {
    for (const contract of Object.values<Operation>(ALL)) {
      const described = describedAt(contract);
      expect(namesIn(at(described, 'responses')).includes('429')).toBe(contract.limit !== 'none');
      const headers = JSON.stringify(at(described, 'parameters')).includes('"Idempotency-Key"');
      expect([contract.name, headers]).toEqual([contract.name, contract.method === 'POST']);
    }
  });

  test('[S-2] shows with every status a problem of that status', () => {
    for (const contract of Object.values<Operation>(ALL)) {
      const responses = at(describedAt(contract), 'responses');
      for (const status of namesIn(responses).filter((name) => Number(name) >= 400)) {
        const example = at(responses, status, 'content', 'application/problem+json', 'example');
        const { status: shown } = ERROR_CODES[at(example, 'code') as ErrorCode];
        expect([status, at(example, 'status')]).toEqual([String(shown), shown]);
      }
    }
  });

  test('[S-40] names at each status the codes that the operation may answer with, and no others', () => {
    const codesOf = (contract: Operation): string[] =>
      Object.values(Object(at(describedAt(contract), 'responses'))).flatMap((response) =>
        [...String(at(response, 'description')).matchAll(/`(\w+)`:/g)].map(([, code = '']) => code),
      );
    const all = new Set(Object.values<Operation>(ALL).flatMap(codesOf));
    // Of paths and methods that no operation has, and of tools.
    const elsewhere = ['method_not_allowed', 'unknown_tool', 'signature_required', 'signed_before'];
    expect(new Set([...all, ...elsewhere])).toEqual(new Set(Object.keys(ERROR_CODES)));
    expect(codesOf(operations.submitBid)).toContain('bid_above_budget');
    for (const code of ['already_claimed', 'leg_taken', 'wrong_recipient']) {
      expect(codesOf(operations.submitBid)).not.toContain(code);
    }
    expect(codesOf(operations.getHealth)).toEqual(['invalid_input', 'internal_error', 'not_ready']);
  });

  test('[S-2] lists every error code in the problem schema', () => {
    expect(schema('Problem', 'properties', 'code', 'enum')).toEqual(Object.keys(ERROR_CODES));
  });
});
