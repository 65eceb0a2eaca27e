import {
  bytesToSign,
  createNonce,
  parsePubkey,
  signedRequestText,
  signRequest,
  verifyRequest,
} from '@legwork/protocol/contract';
import {
  AccountRole,
  address,
  appendTransactionMessageInstructions,
  blockhash,
  compileTransactionMessage,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase58Decoder,
  getCompiledTransactionMessageEncoder,
  type Instruction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  signBytes,
} from '@solana/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toRequestSigner } from '../src/index.js';

const MEMO = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const NO_BLOCK = 'JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFG';
const wallet = await generateKeyPairSigner();
const thief = await generateKeyPairSigner();
const { address: own, keyPair } = wallet;

const NOW = 1_790_000_000_000;
const parts = { method: 'PATCH', host: 'market.example', path: `/agents/${own}`, body: '{"displayName":"Ada"}' };
const nonce = createNonce(NOW);
const text = signedRequestText(parts, nonce);
const memo = (said: string, accounts: Instruction['accounts'] = []): Instruction => ({
  programAddress: MEMO,
  accounts,
  data: new TextEncoder().encode(said),
});

interface Made {
  readonly version?: 'legacy' | 0;
  readonly payer?: typeof own;
  readonly block?: string;
}

function message(
  instructions: readonly Instruction[],
  { version = 'legacy', payer = own, block = NO_BLOCK }: Made = {},
) {
  const made = pipe(
    createTransactionMessage({ version }),
    (empty) => setTransactionMessageFeePayer(payer, empty),
    (paid) =>
      setTransactionMessageLifetimeUsingBlockhash({ blockhash: blockhash(block), lastValidBlockHeight: 0n }, paid),
    (timed) => appendTransactionMessageInstructions(instructions, timed),
  );
  return new Uint8Array(getCompiledTransactionMessageEncoder().encode(compileTransactionMessage(made)));
}

async function codeOf(bytes: Uint8Array, { prefix = 'tx:', over = parts, nowMs = NOW } = {}): Promise<string> {
  const signature = prefix + getBase58Decoder().decode(await signBytes(keyPair.privateKey, bytes));
  const answer = verifyRequest(over, { 'X-Pubkey': own, 'X-Nonce': nonce, 'X-Signature': signature }, nowMs);
  return answer.ok ? 'ok' : answer.code;
}

describe('a text that is signed as the memo of a transaction (S-174, S-175)', () => {
  test('is one instruction of the memo program, paid by the key, of no block', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 300, unit: 'grapheme' }), (said) => {
        const bytes = new TextEncoder().encode(said);
        fc.pre(bytes.length <= 1_000);
        expect(bytesToSign('transaction', parsePubkey(own), bytes)).toEqual(message([memo(said)]));
      }),
    );
  });

  test('counts for its key, and no longer than a message would', async () => {
    expect(await codeOf(message([memo(text)]))).toBe('ok');
    expect(await codeOf(message([memo(text)]), { nowMs: NOW + 61_000 })).toBe('stale_nonce');
  });

  const transfer: Instruction = {
    programAddress: address('11111111111111111111111111111111'),
    accounts: [
      { address: own, role: AccountRole.WRITABLE_SIGNER },
      { address: thief.address, role: AccountRole.WRITABLE },
    ],
    data: new Uint8Array([2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]),
  };
  const signs = [{ address: thief.address, role: AccountRole.READONLY_SIGNER }];
  test.each<[string, Uint8Array]>([
    ['whose text is cut', message([memo(text.slice(0, -1))])],
    ['whose text goes on', message([memo(`${text}\n`)])],
    ['for another service', message([memo(text.replace('market.example', 'market.test'))])],
    ['for another operation', message([memo(text.replace('PATCH', 'POST'))])],
    ['with a second memo', message([memo(text), memo('more')])],
    ['with a transfer beside it', message([memo(text), transfer])],
    ['that two sign', message([memo(text, signs)])],
    [
      'that somebody else pays',
      message([memo(text, [{ address: own, role: AccountRole.READONLY_SIGNER }])], { payer: thief.address }),
    ],
    ['that could land', message([memo(text)], { block: 'EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N' })],
    ['of another version', message([memo(text)], { version: 0 })],
    [
      'of another program',
      message([{ ...memo(text), programAddress: address('Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo') }]),
    ],
    ['that is no transaction, but the text', new TextEncoder().encode(text)],
  ])('does not count %s', async (_, bytes) => {
    expect(await codeOf(bytes)).toBe('bad_signature');
  });

  test('is no signature of a message, and a text that no transaction holds is refused', async () => {
    expect(await codeOf(message([memo(text)]), { prefix: '' })).toBe('bad_signature');
    expect(await codeOf(message([memo(text)]), { prefix: 'TX:' })).toBe('malformed_signature');
    expect(await codeOf(message([memo(text)]), { prefix: 'tx:tx:' })).toBe('malformed_signature');
    expect(bytesToSign('transaction', parsePubkey(own), new Uint8Array(1_062))).toEqual(expect.any(Uint8Array));
    expect(bytesToSign('transaction', parsePubkey(own), new Uint8Array(1_063))).toBeUndefined();
    const over = { ...parts, path: `/${'x'.repeat(1_200)}` };
    expect(await codeOf(message([memo(text)]), { over })).toBe('bad_signature');
  });

  test('is what a signer of transactions alone makes of a request, and one of messages does not', async () => {
    const alone = { address: own, signTransactions: wallet.signTransactions.bind(wallet) };
    for (const [signer, form] of [
      [alone, /^tx:\w{80,88}$/],
      [wallet, /^\w{80,88}$/],
    ] as const) {
      const headers = await signRequest(toRequestSigner(signer), parts, nonce);
      expect(headers['X-Signature']).toMatch(form);
      expect(verifyRequest(parts, headers, NOW)).toMatchObject({
        ok: true,
        pubkey: own,
        signature: headers['X-Signature'],
      });
    }
  });
});
