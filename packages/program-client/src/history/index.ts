export * from './ask.js';
export * from './transactions.js';
