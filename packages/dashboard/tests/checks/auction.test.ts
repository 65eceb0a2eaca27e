import { createUuid, toLamports } from '@legwork/protocol/contract';
import { allocatePayments, chainFault } from '@legwork/protocol/rules';
import { formatPubkey } from '@legwork/protocol/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  checkAuction,
  chooseAgain,
  type ConsideredBid,
  countChains,
  type Decision,
  runnerUp,
} from '../../src/checks/auction.js';

const patience = { now: () => performance.now(), timeBoundMs: 60_000 };
const DECIDED = new Date('2026-11-23T12:00:00.000Z');
const key = (byte: number) => formatPubkey(new Uint8Array(32).fill(byte));
