export * from './fromLedger.js';
export * from './receipt.js';
