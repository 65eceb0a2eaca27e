import { RELAY_ERRORS } from './generated/errors.js';

/** Custom error code of the program: 6000 and up. */
export type RelayErrorCode = keyof typeof RELAY_ERRORS;

/** Name of an error of the program, for example `LegOutOfOrder`. */
export type RelayErrorName = (typeof RELAY_ERRORS)[RelayErrorCode]['name'];

/** An error of the program: its custom code, its name, and a sentence for people. */
export interface RelayError {
  readonly code: RelayErrorCode;
  readonly name: RelayErrorName;
  readonly message: string;
}

function isRelayErrorCode(code: number): code is RelayErrorCode {
  return Object.hasOwn(RELAY_ERRORS, code);
}

/**
 * The program's error with this custom code.
 *
 * @param code - the number of `InstructionError::Custom`
 * @returns undefined when the program has no such error
 */
export function relayErrorFromCode(code: number): RelayError | undefined {
  return isRelayErrorCode(code) ? { code, ...RELAY_ERRORS[code] } : undefined;
}
