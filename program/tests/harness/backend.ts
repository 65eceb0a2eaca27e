import { randomUUID } from 'node:crypto';

/** JSON-RPC address of a real validator; without one, every test has a LiteSVM of its own. */
export const RPC_URL = process.env['RELAY_TEST_RPC_URL'];

/** A validator lets nobody write accounts but by transactions: tests that forge some are skipped there. */
export const CANNOT_FORGE = RPC_URL !== undefined;

/** The time of a validator cannot be set: tests that move it, or name it to the second, are skipped there. */
export const CANNOT_SET_TIME = RPC_URL !== undefined;

/** Every run on a validator has addresses of its own, and finding their bumps costs more or less. */
export const OTHER_ADDRESSES = RPC_URL !== undefined;

/** Part of every key's name: a validator remembers the wallets of earlier tests, LiteSVM keeps nothing. */
export const NAMESPACE = RPC_URL === undefined ? '' : `${randomUUID()} `;
