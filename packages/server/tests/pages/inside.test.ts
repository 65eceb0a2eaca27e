import { pagePath } from '@legwork/protocol/contract';
import { getSetPausedInstruction, findConfigPda } from '@legwork/program-client';
import {
  appendTransactionMessageInstruction,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { beforeAll, describe, expect, test } from 'vitest';
import { draft } from '../support/market.js';
import { listPackage } from '../support/listed.js';
import { withService } from '../support/service.js';
import { withBrowser } from './browser.js';
import { barriers, open, overhang, visit } from './visit.js';

const browser = withBrowser();
const service = withService();

let listed: string;
let failed: string;

/** Somebody who may not pause the program tries to. */
async function sendRefused(): Promise<string> {
  const { rpc, ledger } = service.current;
  const { signer } = await service.current.party(1);
  const programAddress = ledger.keypairs.program.signer.address;
  const [config] = await findConfigPda({ programAddress });
  const pause = getSetPausedInstruction({ config, authority: signer, paused: true }, { programAddress });
  const { value: lifetime } = await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send();
  const transaction = await signTransactionMessageWithSigners(
    pipe(
      createTransactionMessage({ version: 0 }),
      (message) => setTransactionMessageFeePayerSigner(signer, message),
      (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
      (message) => appendTransactionMessageInstruction(pause, message),
    ),
  );
  const wire = getBase64EncodedWireTransaction(transaction);
  await rpc.sendTransaction(wire, { encoding: 'base64', skipPreflight: true }).send();
  return getSignatureFromTransaction(transaction);
}

beforeAll(async () => {
  const shipper = await service.current.party(3);
  await listPackage(shipper.client, shipper.signer, draft());
  const of = await service.current.rpc
    .getSignaturesForAddress(shipper.signer.address, { commitment: 'confirmed' })
    .send();
  listed = of[0]?.signature ?? '';
  failed = await sendRefused();
});

describe('the page of a transaction', () => {
  test.each([
    [360, 'dark'],
    [390, 'light'],
    [1440, 'dark'],
    [1440, 'light'],
  ] as const)('shows what its programs did, or did when it failed: %i, %s (D-121)', async (width, theme) => {
    const one = await visit(browser.current, { width, theme });
    const { page } = one;
    await open(one, `${service.current.server.url}${pagePath('transaction', listed)}`);
    const part = (name: string) => page.getByRole('region', { name, exact: true });
    await part('Compute units').getByText(/^1\. /).waitFor();
    expect(await part('Compute units').locator('tbody tr').first().textContent()).toMatch(
      /the relay program.*[\d,]{3,}$/,
    );
    await part('Changed accounts')
      .getByText(/^nothing → /)
      .first()
      .waitFor();
    expect(await part('Run again').count()).toBe(0);
    await page.getByText(/^\d+ lines$/).click();
    await part('Log')
      .getByText(/^done · [\d,]+ units$/)
      .first()
      .waitFor();
    expect([await barriers(page), await overhang(page)]).toEqual([[], 0]);

    await open(one, `${service.current.server.url}${pagePath('transaction', failed)}`);
    await part('Run again').getByText('On the accounts as they were before it, it fails the same way.').waitFor();
    await part('Run again')
      .getByText(/^custom program error: 0x\w+ · [\d,]+ units$/)
      .waitFor();
    expect([await barriers(page), await overhang(page)]).toEqual([[], 0]);
    expect(one.complaints).toEqual([]);
  });
});
