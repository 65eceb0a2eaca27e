import type { RelayClient } from '@legwork/sdk';
import type { Makers } from './calls.js';

type Input<Name extends keyof RelayClient> = RelayClient[Name] extends (input: infer I, ...rest: never[]) => unknown
  ? I
  : never;

/** How the calls of a journal are made. What is kept of an answer is what the agent needs to know of it after a restart. */
export function makersOf(client: () => RelayClient): Makers {
  return {
    // A bid that is repeated under its name is not made again, even when it has ended meanwhile.
    submitBid: async ({ input, key }) => {
      const made = await client().submitBid(input as Input<'submitBid'>, { idempotencyKey: key });
      return { bidId: made.id, expiresAt: made.expiresAt.toISOString(), warning: made.warning };
    },
    // The others do nothing new when they are repeated.
    withdrawBid: async ({ input }) => {
      const { status } = await client().withdrawBid(input as Input<'withdrawBid'>);
      return { status };
    },
    bidDigitalLeg: async ({ input }) => {
      const { status } = await client().bidDigitalLeg(input as Input<'bidDigitalLeg'>);
      return { status };
    },
    completeDigitalLeg: async ({ input }) => {
      const { status, resultHash } = await client().completeDigitalLeg(input as Input<'completeDigitalLeg'>);
      return { status, resultHash };
    },
    releaseDigitalLeg: async ({ input }) => {
      const { status } = await client().releaseDigitalLeg(input as Input<'releaseDigitalLeg'>);
      return { status };
    },
  };
}
