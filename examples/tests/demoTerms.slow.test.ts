import { describe, expect, onTestFinished, test } from 'vitest';
import { startOwnInstance } from '../src/demo/instance.js';
import { runProgram } from './support/programs.js';

describe('the demo of terms', () => {
  test('replaces a silent courier, pays by the clock, has disputes ruled, and accounts for every lamport', async () => {
    const demo = runProgram('demo/terms/main.js', []);
    await demo.succeeds();
    expect(demo.output()).toMatch(/its stake, 0\.0300 SOL, is lost/);
    expect(demo.output()).toContain('=> Dag takes the place of Bo, in the same escrow');
    expect(demo.output()).toMatch(/Nora neither signs nor contradicts: 0\.\d{4} SOL are paid by the clock/);
    expect(demo.output()).toMatch(/Ines rules 30 %: 0\.\d{4} of 0\.\d{4} SOL are paid/);
    expect(demo.output()).toMatch(
      /Rosa disputes, Ines rules 0 %: .* the leg is open to others\n +=> Hanna does it: "8 words"/,
    );
    expect(demo.output()).toContain('Ines rules 100 %: 0.0300 SOL are paid, and the stake of Rosa is lost');
    expect(demo.output()).toContain('Jana does leg 3, and Rosa sleeps: 0.0300 SOL are paid by the clock');
    expect(demo.output()).not.toContain('WRONG');
    expect(demo.output()).toMatch(/in vaults +0\n/);
    expect(demo.output()).toContain('Every lamport is accounted for.');
  }, 360_000);

  test('says on a ledger whose time passes by itself that it cannot be played there, before anybody has money', async () => {
    const instance = await startOwnInstance();
    onTestFinished(() => instance.stop());
    const demo = runProgram('demo/terms/main.js', ['--url', instance.url]);
    expect(await demo.ended).toBe(1);
    expect(demo.output()).toContain("the ledger's time cannot be moved");
    expect(demo.output()).not.toContain('Wallets');
  }, 120_000);

  test('is not resumed, as clocks go on meanwhile', async () => {
    const demo = runProgram('demo/terms/main.js', ['--url', 'http://127.0.0.1:1', '--resume']);
    expect(await demo.ended).toBe(1);
    expect(demo.output()).toContain('play it again');
  }, 60_000);
});
