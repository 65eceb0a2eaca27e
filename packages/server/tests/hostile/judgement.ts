import { ERROR_CODES, type Operation, operations, refusalsOf } from '@legwork/protocol/contract';
import { z } from 'zod';
import type { Plan } from './arbitraries.js';
import { type Answer, fieldsOf } from './request.js';
import { PROBLEM } from './wrongRequests.js';

/** The complaints about an answer, in words; empty if it is right. */
export type Judge = (plan: Plan, answer: Answer) => string[];

function contractOf(name: string): Operation {
  const found = Object.values<Operation>(operations).find((contract) => contract.name === name);
  if (found === undefined) throw new Error(`no contract is called ${name}`);
  return found;
}

/** A refusal is a problem document with a described code and the status of that code, and no fault of the service. */
function judgeProblem({ operation }: Plan, { status, contentType, body }: Answer): string[] {
  const complaints: string[] = [];
  if (status < 400 || status >= 500 || status === 429) complaints.push(`status ${status}`);
  if (contentType !== PROBLEM) complaints.push(`content type ${String(contentType)}`);
  const known = Object.entries(ERROR_CODES).find(([code]) => code === body['code'])?.[1];
  if (known?.status !== status || body['status'] !== status)
    complaints.push(`code ${String(body['code'])} at ${status}`);
  const described = status === 405 || refusalsOf(contractOf(operation)).some((code) => code === body['code']);
  if (!described)
    complaints.push(`code ${String(body['code'])}, of which the description of ${operation} says nothing`);
  if (typeof body['detail'] !== 'string' || body['detail'] === '') complaints.push('no detail');
  return complaints;
}

/** The answer is a success of the contract or a problem. */
export const answersByContract: Judge = (plan, answer) => {
  const contract = contractOf(plan.operation);
  if (answer.status !== contract.status) return judgeProblem(plan, answer);
  const { error } = z.safeDecode(contract.answer, answer.body);
  return error === undefined ? [] : [`an answer of another form: ${error.message}`];
};

/** The answer refuses the request for its form, and names the field at fault. */
export const refusesForm: Judge = (plan, answer) => {
  const complaints = judgeProblem(plan, answer);
  if (![400, 413, 415].includes(answer.status)) complaints.push(`status ${answer.status} for a wrong form`);
  const field = plan.fault?.field;
  // A body that is too large, cannot be read or reaches for a prototype has no fields.
  const unread = ['malformed_body', 'body_too_large'].includes(String(answer.body['code']));
  if (field !== undefined && !unread && !fieldsOf(answer).includes(field)) {
    complaints.push(`names ${fieldsOf(answer).join(', ') || 'nothing'} instead of ${field}`);
  }
  return complaints;
};

/** The answer refuses the signature. */
export const refusesSignature: Judge = (plan, answer) => [
  ...judgeProblem(plan, answer),
  ...(answer.status === 401 ? [] : [`status ${answer.status} for a broken signature`]),
];

/** The answer is of the contract, and does not complain of what was right: signature, method, size and type. */
export const takesForm: Judge = (plan, answer) => [
  ...answersByContract(plan, answer),
  ...([401, 405, 413, 415].includes(answer.status) ? [`status ${answer.status} for a right form`] : []),
];
