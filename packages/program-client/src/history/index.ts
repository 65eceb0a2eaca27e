export { ask, createLedgerRpc, isLedgerAnswer, type LedgerRpc, type ReadLedger } from './ask.js';
export { findTransactionOf } from './findTransaction.js';
export { findLanded, type LandedTransaction } from './landedTransaction.js';
export { signaturePages } from './signaturePages.js';
