import { paidIn, type ServiceConfig } from '@legwork/sdk';
import { expect, test } from 'vitest';

const MAINNET = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const ANOTHER = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';

/** A service of that cluster which lists in one token. */
function configOf(genesisHash: string, token: { asset: string; mint: string; decimals: number }): ServiceConfig {
  const assets = [{ ...token, number: 1, minAmount: 1n, isOpen: true }];
  const programId = 'FDS1Zj5i3hqULLchmayx4m3QDeQpdGn8zJ6te53XguSn';
  return { genesisHash, assets, programId } as unknown as ServiceConfig;
}

test('on a cluster of Solana, usdc is the token of its issuer with six decimals, whatever a service says (M-100)', async () => {
  const honest = configOf(MAINNET, { asset: 'usdc', mint: USDC, decimals: 6 });
  expect(await paidIn(honest, 'usdc')).toMatchObject({ asset: 'usdc', decimals: 6, token: { mint: USDC } });
  expect(await paidIn(honest, USDC)).toMatchObject({ decimals: 6 });
  const another = configOf(MAINNET, { asset: 'usdc', mint: ANOTHER, decimals: 6 });
  await expect(paidIn(another, 'usdc')).rejects.toThrow(`usdc is ${USDC} with 6 decimals, not ${ANOTHER}`);
  for (const [asset, name] of [
    ['usdc', 'usdc'],
    ['dollar', 'dollar'],
    ['dollar', USDC],
  ] as const) {
    const lying = configOf(MAINNET, { asset, mint: USDC, decimals: 3 });
    await expect(paidIn(lying, name)).rejects.toThrow(`usdc is ${USDC} with 6 decimals, not ${USDC} with 3`);
  }
});

test('on a ledger of its own a service names its tokens, and nothing that it does not list in (M-92, M-100)', async () => {
  const own = configOf('11111111111111111111111111111112', { asset: 'usdc', mint: ANOTHER, decimals: 2 });
  expect(await paidIn(own, 'usdc')).toMatchObject({ decimals: 2, token: { mint: ANOTHER } });
  await expect(paidIn(own, 'eurc')).rejects.toThrow('this service lists nothing in eurc; give one of sol, usdc');
});
