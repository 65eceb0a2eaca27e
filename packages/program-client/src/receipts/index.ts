export * from './fromLedger.js';
export * from './receipt.js';
export { nonceIn } from './texts.js';
