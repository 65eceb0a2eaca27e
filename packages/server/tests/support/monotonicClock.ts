import { afterAll, beforeAll, vi } from 'vitest';

/** The monotonic clock of this process, for the tests of the current file. Timers that run keep to the real one. */
export function withMonotonicClock(): { pass(ms: number): void } {
  let passed = 0;
  let restore: (() => void) | undefined;
  beforeAll(() => {
    const now = performance.now.bind(performance);
    const spy = vi.spyOn(performance, 'now').mockImplementation(() => now() + passed);
    restore = () => spy.mockRestore();
  });
  afterAll(() => restore?.());
  return {
    pass: (ms) => {
      passed += ms;
    },
  };
}
