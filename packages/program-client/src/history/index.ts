export * from './ask.js';
export * from './transactions.js';
export { programCalls, readProgramLog, unitsByProgram, type LogLine, type ProgramCall } from './programLog.js';
export { readTrace, type AccountChange, type TransactionTrace } from './trace.js';
