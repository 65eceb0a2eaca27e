import type { RelayInstruction } from '@legwork/program-client';
import { STAKES_HELD } from '@legwork/protocol/rules';
import type { Address } from '@solana/kit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  addTo,
  completedOf,
  type FormationFacts,
  hasTerms,
  noFacts,
  type PackageFacts,
  poolOf,
  type TermsLeg,
} from '@legwork/program-client/facts';
import { anyAddress } from './instructions.js';
import { STAKE } from './movesOnLedger.js';
import { TermsOnLedger } from './termsOnLedger.js';

const couriers: Address[] = await Promise.all(Array.from({ length: 3 }, anyAddress));
const replacements: Address[] = await Promise.all(Array.from({ length: 6 }, anyAddress));
const passerBy = await anyAddress();

/** The moves that are legal on the leg now, by those who may make them. */
function movesOf(it: TermsOnLedger, formation: FormationFacts, leg: TermsLeg, pick: number): RelayInstruction[] {
  const { index, turn } = leg;
  const holder = { index, courier: leg.courier as Address, number: leg.formation };
  const isFirst = index === completedOf(formation.legs).length;
  const next = formation.legs[index + 1];
  const canBeTaken = next?.turn?.stage === 'accepted';
  const other = turn.disputer === it.receiver ? it.receiver : it.shipper;
  const ruling = { percent: pick % 101, other };
  const number = Math.max(leg.formation, next?.formation ?? 0);
  const handOver = canBeTaken ? [it.end(holder, next.courier as Address, number)] : [];
  const receive = next ? [] : [it.end(holder, it.receiver)];
  switch (turn.stage) {
    case 'pending':
      return [
        it.moves.accept(holder),
        it.moves.vacate(holder),
        it.moves.vacate(holder, passerBy),
        ...(isFirst ? [it.moves.take(holder)] : []),
      ];
    case 'accepted':
      return [
        it.moves.vacate(holder),
        it.moves.vacate(holder, passerBy),
        ...(isFirst ? [it.moves.take(holder), ...receive] : []),
      ];
    case 'carried':
      return [
        it.moves.claim(holder),
        it.moves.vacate(holder, it.shipper),
        it.moves.agree(holder, ruling),
        ...handOver,
        ...receive,
      ];
    case 'claimed':
      return [
        it.moves.dispute(holder),
        it.moves.dispute(holder, it.receiver),
        it.end(holder, passerBy),
        ...handOver,
        ...receive,
      ];
    case 'disputed':
      return [it.moves.rule(holder, ruling), it.moves.rulingBySilence(holder, other), it.moves.agree(holder, ruling)];
    case 'ruled':
      return [it.end(holder, passerBy)];
    case 'vacant': {
      const courier = replacements[pick % replacements.length] ?? passerBy;
      return [it.replace(index, courier, BigInt(1 + (pick % 50)))];
    }
    case 'completed':
      break;
  }
  return [];
}

/** The deposits into the leg's account from all its couriers, less the payments out of it. */
function heldBy({ steps }: PackageFacts, { address }: TermsLeg): bigint {
  const movements = steps.flatMap((step) => step.movements);
  return movements.reduce((sum, { from, to, lamports }) => {
    if (to === address) return sum + lamports;
    return from === address ? sum - lamports : sum;
  }, 0n);
}

function formationIn({ formation }: PackageFacts): FormationFacts {
  if (!formation) throw new Error('it is formed');
  return formation;
}

const sumOf = (amounts: readonly bigint[]) => amounts.reduce((sum, amount) => sum + amount, 0n);

/** The sum of the steps of the history. */
function addedUp(parcel: PackageFacts) {
  const formation = formationIn(parcel);
  const legs = formation.legs.filter(hasTerms);
  const toVault = parcel.steps.flatMap(({ movements }) => movements).filter(({ to }) => to === parcel.vault);
  const forfeited = sumOf(toVault.map(({ lamports }) => lamports));
  const replaced = parcel.steps.filter(({ move }) => move === 'replace').length;
  return {
    held: legs.map((leg) => heldBy(parcel, leg)),
    gained: forfeited,
    forfeited,
    assigned: sumOf(legs.map((leg) => leg.paymentLamports)),
    numbers: Array.from({ length: replaced }, (_, index) => index + 2),
  };
}

/** The same as the facts say it. */
function said(parcel: PackageFacts): ReturnType<typeof addedUp> {
  const formation = formationIn(parcel);
  const legs = formation.legs.filter(hasTerms);
  const numbers = [...formation.formerLegs, ...legs].map((leg) => leg.formation).filter((number) => number > 1);
  return {
    held: legs.map(({ turn }) => BigInt(STAKES_HELD[turn.stage]) * STAKE),
    gained: parcel.gainedLamports,
    forfeited: poolOf(formation) - formation.reservedLamports,
    assigned: formation.assignedLamports,
    numbers: numbers.toSorted((one, other) => one - other),
  };
}

test('whatever is done to legs, each account holds what its stage says, and the vault got every forfeited stake (T-12, T-18, T-30, T-43)', async () => {
  const picks = fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 3 }), picks, async (legs, choices) => {
      const it = await TermsOnLedger.of(couriers.slice(0, legs), [30n, 40n, 50n].slice(0, legs));
      const facts = noFacts();
      let at = 1_800_000_000n;
      const land = (instructions: RelayInstruction[]) => {
        at += 1n;
        expect(addTo(facts, { signature: `tx${at}`, instructions, at, gained: new Map() })).toBeUndefined();
        const parcel = facts.packages.get(it.address);
        if (!parcel) throw new Error('it is listed');
        return parcel;
      };
      land([it.list()]);
      let parcel = land(it.form());
      for (const [which, pick] of choices) {
        const formation = formationIn(parcel);
        const open = formation.legs.filter(hasTerms).flatMap((leg) => movesOf(it, formation, leg, pick));
        const chosen = open[which % open.length];
        if (chosen) parcel = land([chosen]);
        expect(said(parcel)).toEqual(addedUp(parcel));
      }
    }),
    { numRuns: 150 },
  );
});
