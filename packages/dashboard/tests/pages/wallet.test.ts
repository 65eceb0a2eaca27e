import { SolanaSignMessage, SolanaSignTransaction } from '@solana/wallet-standard-features';
import { StandardConnect } from '@wallet-standard/features';
import type { WalletAccount } from '@wallet-standard/base';
import {
  type Address,
  appendTransactionMessageInstruction,
  type Blockhash,
  compileTransaction,
  createTransactionMessage,
  generateKeyPairSigner,
  getTransactionDecoder,
  getTransactionEncoder,
  type KeyPairSigner,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransaction,
} from '@solana/kit';
import { describe, expect, test } from 'vitest';
import { callSigner, walletSigner } from '../../src/wallet/signer.js';
import { type SigningWallet, signsWith } from '../../src/wallet/registry.js';

const owner = await generateKeyPairSigner();
const PROGRAM = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr' as Address;
const LIFETIME = {
  blockhash: 'EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N' as Blockhash,
  lastValidBlockHeight: 1n,
};

const memo = (byte: number, payer: KeyPairSigner) =>
  pipe(
    createTransactionMessage({ version: 'legacy' }),
    (empty) => setTransactionMessageFeePayer(payer.address, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(LIFETIME, paid),
    (timed) =>
      compileTransaction(
        appendTransactionMessageInstruction({ programAddress: PROGRAM, data: Uint8Array.of(byte) }, timed),
      ),
  );
type Built = ReturnType<typeof memo>;

/** A wallet that signs transactions alone; `instead` is what it makes of one before. */
function wallet(instead: (asked: Built) => Built = (asked) => asked): [SigningWallet, WalletAccount] {
  const signOne = async (bytes: Uint8Array) => {
    const made = instead(getTransactionDecoder().decode(bytes) as Built);
    const signed = await signTransaction([owner.keyPair], made).catch(() => made);
    return { signedTransaction: Uint8Array.from(getTransactionEncoder().encode(signed)) };
  };
  const signsTransactions = {
    signTransaction: (...asked: { transaction: Uint8Array }[]) =>
      Promise.all(asked.map(({ transaction }) => signOne(transaction))),
  };
  const features = { [StandardConnect]: {}, [SolanaSignTransaction]: signsTransactions };
  const account = { address: owner.address, features: [SolanaSignTransaction] };
  return [{ name: 'A wallet', features } as unknown as SigningWallet, account as unknown as WalletAccount];
}

describe('a wallet that signs transactions alone', () => {
  test('signs what it was asked to, by its own key, or nothing goes on (D-48)', async () => {
    const asked = memo(1, owner);
    const sign = (...given: ReturnType<typeof wallet>) => walletSigner(...given).signTransactions([asked as never]);
    const [signatures] = await sign(...wallet());
    const right = await signTransaction([owner.keyPair], asked);
    expect(signatures?.[owner.address]).toEqual(right.signatures[owner.address]);
    await expect(sign(...wallet(() => memo(2, owner)))).rejects.toThrow(
      'signed a different transaction from the one this page asked for',
    );
    const stranger = await generateKeyPairSigner();
    await expect(sign(...wallet(() => memo(1, stranger)))).rejects.toThrow(`did not sign with ${owner.address}`);
  });

  test('is offered for calls, and signs them so (D-49)', () => {
    expect(signsWith([SolanaSignTransaction], 'calls')).toBe(true);
    expect(signsWith([SolanaSignMessage], 'calls')).toBe(true);
    expect(signsWith([SolanaSignMessage], 'transactions')).toBe(false);
    const signer = callSigner(...wallet());
    expect('signMessages' in signer).toBe(false);
    expect('signTransactions' in signer).toBe(true);
  });
});
