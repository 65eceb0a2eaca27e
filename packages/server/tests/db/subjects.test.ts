import { expect, test } from 'vitest';
import { listingOf, packageSubject, taskSubject } from '../../src/db/listings.js';

test('a subject names the package or the task that it was made of, and nothing else names one (S-107)', () => {
  const id = crypto.randomUUID();
  expect(listingOf(packageSubject(id))).toEqual({ packageId: id });
  expect(listingOf(taskSubject(id))).toEqual({ taskId: id });
  for (const subject of ['nothing', id, 'package', `swarm:${id}`, `Task:${id}`])
    expect(() => listingOf(subject)).toThrow(subject);
});
