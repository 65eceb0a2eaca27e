import { expect } from 'vitest';
import type { rawRequest } from './rawRequest.js';
import { rowsOf, type TestService } from './service.js';

export interface Refusal {
  status: number;
  code: string;
  detail: string;
  errors: { field: string; message: string }[];
}

/** The problem document that is answered; fails when it is none, or when any row changed. */
export async function refusal(service: TestService, send: () => ReturnType<typeof rawRequest>): Promise<Refusal> {
  const before = await rowsOf(service.context.db);
  const { status, headers, body } = await send();
  expect(headers['content-type']).toBe('application/problem+json; charset=utf-8');
  expect(body).toMatchObject({ type: 'about:blank', title: expect.any(String), status, errors: expect.any(Array) });
  expect(await rowsOf(service.context.db)).toEqual(before);
  return {
    status,
    code: String(body['code']),
    detail: String(body['detail']),
    errors: body['errors'] as Refusal['errors'],
  };
}
