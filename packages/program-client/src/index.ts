export * from './addresses.js';
export * from './decodeRelayInstruction.js';
export * from './errors.js';
export * from './generated/index.js';
export * from './handoff.js';
export * from './instructions.js';
export * from './mandates.js';
export * from './tokens.js';
