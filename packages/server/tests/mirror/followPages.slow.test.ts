import { signaturePages } from '@legwork/program-client/history';
import { AccountRole, address } from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { expect, test } from 'vitest';
import { readCursor } from '../../src/db/ledgerTransactions.js';
import { HistoryFollower } from '../../src/mirror/follow.js';
import { withService } from '../support/service.js';
import { signed } from '../support/transactions.js';

/** A node gives a thousand at once: these fill two pages and begin a third. */
const TRANSACTIONS = 2_100;
const AT_ONCE = 50;

const service = withService();

test('a history of several pages is passed whole and in its order, although no more than one is held (S-51)', {
  timeout: 240_000,
}, async () => {
  const { current } = service;
  const context = await current.context();
  await current.stop();
  const from = await current.party();
  const program = { address: address(current.server.programId), role: AccountRole.READONLY };
  const naming = (amount: number) => {
    const transfer = getTransferSolInstruction({ source: from.signer, destination: from.signer.address, amount });
    return { ...transfer, accounts: [...transfer.accounts, program] };
  };
  for (let done = 0; done < TRANSACTIONS; done += AT_ONCE) {
    const many = Array.from({ length: AT_ONCE }, async (_, index) => {
      const wire = await signed(current, [from.signer], [naming(done + index + 1)]);
      const how = { encoding: 'base64', skipPreflight: true } as const;
      await current.rpc.sendTransaction(wire as Parameters<typeof current.rpc.sendTransaction>[0], how).send();
    });
    await Promise.all(many);
  }
  const listed: string[] = [];
  for await (const page of signaturePages(context.ledger, program.address))
    listed.push(...page.flatMap(({ signature, err }) => (err === null ? [signature] : [])));
  expect(listed.length).toBeGreaterThanOrEqual(TRANSACTIONS);

  await context.db.deleteFrom('ledger_transactions').execute();
  await context.db.deleteFrom('meta').where('key', '=', 'watcher_cursor').execute();
  await new HistoryFollower(context, new AbortController().signal).catchUp(Date.now());
  expect(await readCursor(context.db)).toMatchObject({ signature: listed[0] });
  const placed = await context.db
    .selectFrom('ledger_transactions')
    .select('signature')
    .where('position', 'is not', null)
    .orderBy('position')
    .execute();
  expect(placed.map(({ signature }) => signature)).toEqual(listed.reverse());
  await context.db.destroy();
  await current.restart();
});
