// How fast LiteSVM alone is, signatures included.
import { createRequire } from 'node:module';
import { address, getAddressEncoder, getTransactionDecoder, lamports } from '@solana/kit';
import { transfers } from './load.mjs';
import { makeWallet } from '../../soak/ledger/wallet.mjs';

const require = createRequire(new URL('../../packages/ledger/package.json', import.meta.url));
const { LiteSVM } = require('litesvm');
const { LiteSvm, Account } = require('litesvm/dist/internal.js');

const FUNDS = 1_000_000_000_000n;

/** Transactions a second by its JavaScript interface, and by the native one below. */
export function measureRaw(count) {
  const wallet = makeWallet();
  const signed = transfers(wallet, count, wallet.address).map(({ wire }) => Buffer.from(wire, 'base64'));
  return {
    wrapper: rateOf(
      wrapper(wallet),
      signed.map((one) => getTransactionDecoder().decode(one)),
    ),
    native: rateOf(native(wallet), signed),
  };
}

function wrapper(wallet) {
  const svm = new LiteSVM().withTransactionHistory(0n).withBlockhashCheck(false);
  const programAddress = address('11111111111111111111111111111111');
  const account = { data: new Uint8Array(), executable: false, space: 0n };
  svm.setAccount({ ...account, address: address(wallet.address), lamports: lamports(FUNDS), programAddress });
  return (transaction) => svm.sendTransaction(transaction);
}

function native(wallet) {
  const svm = new LiteSvm();
  svm.setTransactionHistory(0n);
  svm.setBlockhashCheck(false);
  const account = new Account(FUNDS, new Uint8Array(), new Uint8Array(32), false, 0n);
  svm.setAccount(getAddressEncoder().encode(address(wallet.address)), account);
  return (bytes) => svm.sendVersionedTransaction(bytes);
}

function rateOf(run, transactions) {
  const start = performance.now();
  for (const one of transactions) run(one);
  return transactions.length / ((performance.now() - start) / 1000);
}
