// A wallet as a browser extension brings one: it registers by the Wallet Standard. Its secret keys stay outside of the
// page, with `testWalletSign`, and `testWallet` names it and its keys. A transaction is one signature more in its list.
{
  const { name, addresses, isSilent } = globalThis.testWallet;
  const account = (address) => ({
    address,
    publicKey: new Uint8Array(32),
    chains: ['solana:devnet'],
    features: [...(isSilent ? [] : ['solana:signMessage']), 'solana:signTransaction'],
  });
  let shown = addresses;
  const listeners = new Set();
  const wallet = {
    version: '1.0.0',
    name,
    icon: 'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=',
    chains: ['solana:devnet'],
    get accounts() {
      return shown.map(account);
    },
    features: {
      'standard:connect': { version: '1.0.0', connect: async () => ({ accounts: wallet.accounts }) },
      'standard:events': {
        version: '1.0.0',
        on: (_event, listener) => {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
      },
      'solana:signTransaction': {
        version: '1.0.0',
        supportedTransactionVersions: ['legacy', 0],
        signTransaction: async ({ account: { address }, transaction }) => [
          { signedTransaction: new Uint8Array(await globalThis.testWalletSignTransaction(address, [...transaction])) },
        ],
      },
      'solana:signMessage': {
        version: '1.0.0',
        signMessage: async ({ account: { address }, message }) => {
          const [signature, signed] = await globalThis.testWalletSign(address, [...message]);
          return [{ signedMessage: new Uint8Array(signed), signature: new Uint8Array(signature) }];
        },
      },
    },
  };
  // As hardware wallets are.
  if (isSilent) delete wallet.features['solana:signMessage'];
  globalThis.testWalletShow = (next) => {
    shown = next;
    for (const listener of listeners) listener({ accounts: wallet.accounts });
  };
  const callback = (registry) => registry.register(wallet);
  globalThis.addEventListener('wallet-standard:app-ready', ({ detail }) => callback(detail));
  globalThis.dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: callback }));
}
