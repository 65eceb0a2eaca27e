import { type LegFacts, type TurnFacts, type FormationFacts, type PackageFacts } from '@legwork/program-client/facts';
import { describe, expect, test } from 'vitest';
import { changesBetween, snapshot } from '../support/snapshot.js';
import { moveEventTamperings, moveTamperings, openingTamperings } from './moveTamperings.js';
import { type FactsChange, testAccounts, testTamperings, withAudited } from './audited.js';
import { accountsSay, decisionsSay } from './readings.js';
import { auditOf, linesOf } from './scene.js';
import { playTermsScene, type TermsScene } from './termsScene.js';
import { legTamperings } from './termsTamperings.js';

const audited = withAudited(playTermsScene);

describe('an audit of packages with terms that nobody touched', () => {
  test('finds no difference after silence, replacements, claims, disputes, rulings and a reclaim (S-45)', async () => {
    const { differences, notes, compared } = await auditOf(audited.service);
    expect(linesOf(differences)).toEqual([]);
    expect(linesOf(notes)).toEqual([]);
    // The first leg of one package had three couriers. Eight chains were chosen, and two replacements.
    expect(compared).toMatchObject({ packages: 8, legs: 13 + 2, reputations: 13 + 2, choices: 8 + 2 });
  });

  test('changes nothing (S-45)', async () => {
    const before = await snapshot(audited.service);
    await auditOf(audited.service);
    expect(changesBetween(before, await snapshot(audited.service))).toEqual([]);
  });
});

describe('an audit of moves that were tampered with', () => {
  testTamperings(audited, [...legTamperings, ...moveTamperings, ...moveEventTamperings]);

  testTamperings(audited, openingTamperings, decisionsSay);
});

describe('an audit of the accounts of packages with terms', () => {
  /** The facts of one of the scene's packages, changed. */
  function ofPackage(name: keyof TermsScene, change: (parcel: PackageFacts) => unknown): FactsChange {
    return ({ packages }) => {
      const parcel = [...packages.values()].find(({ id }) => id === audited.scene[name]);
      if (!parcel) throw new Error(`the ledger lists the package that is ${name}`);
      change(parcel);
    };
  }

  const ofSwarm = (change: (formation: FormationFacts) => unknown): FactsChange =>
    ofPackage('claimed', ({ formation }) => {
      if (!formation) throw new Error('it is formed');
      change(formation);
    });

  function ofLeg(
    name: 'claimed' | 'disputed' | 'vacant',
    change: (leg: LegFacts & { turn: TurnFacts }) => unknown,
  ): FactsChange {
    return ofPackage(name, ({ formation }) => {
      const [leg] = formation?.legs ?? [];
      if (!leg?.turn) throw new Error('it has terms');
      change({ ...leg, turn: leg.turn });
    });
  }

  const ofTurn = (name: 'claimed' | 'disputed' | 'vacant', change: (turn: TurnFacts) => unknown): FactsChange =>
    ofLeg(name, ({ turn }) => change(turn));

  testAccounts(audited, [
    ['no terms', ofPackage('claimed', (parcel) => (parcel.terms = null)), /version is 2 in the .*, 1 by/],
    [
      'another stake',
      ofPackage('claimed', ({ terms }) => terms && (terms.stake += 1n)),
      /its terms' stake in lamports is 100000000 in .*, 100000001 by/,
    ],
    [
      'another receiver',
      ofPackage('claimed', ({ terms, poster }) => terms && Object.assign(terms, { receiver: poster })),
      /its terms' receiver is \S+ in .*, \S+ by/,
    ],
    [
      'other clocks',
      ofPackage('claimed', ({ terms }) => terms && (terms.review = 9)),
      /its terms' seconds to review is 300 in .*, 9 by/,
    ],
    [
      'other flags',
      ofPackage('claimed', ({ terms }) => terms && (terms.flags = 9)),
      /its terms' flags is \d in .*, 9 by/,
    ],
    [
      'another number of the swarm',
      ofSwarm((formation) => (formation.latestNumber = 2)),
      /its swarm's formation is 1 in/,
    ],
    ['another pool', ofSwarm((formation) => (formation.reservedLamports += 1n)), /its swarm's lamports is \d+ in/],
    [
      'other payments',
      ofSwarm((formation) => (formation.assignedLamports += 1n)),
      /its swarm's assigned lamports is \d+ in/,
    ],
    [
      'a stake in the vault that is not there',
      ofPackage('claimed', (parcel) => (parcel.gainedLamports += 1n)),
      /its vault holds \d+ lamports, at least \d+ by/,
    ],
    [
      'another stage',
      ofTurn('claimed', (turn) => (turn.stage = 'carried')),
      /leg 0's status is Claimed in .*, Carried by/,
    ],
    [
      'a stake in the account of a leg that is not there',
      ofTurn('claimed', (turn) => (turn.stage = 'disputed')),
      /leg 0's lamports above its rent is 100000000 in .*, 200000000 by/,
    ],
    ['another second', ofTurn('claimed', (turn) => (turn.since = 1n)), /leg 0's unix second is \d+ in .*, 1 by/],
    ['another disputer', ofTurn('disputed', (turn) => (turn.disputer = 'nobody')), /leg 0's note is 1 in .*, 2 by/],
    ['no disputer', ofTurn('disputed', (turn) => (turn.disputer = null)), /leg 0's note is 1 in .*, 0 by/],
    ['a ruling', ofTurn('disputed', (turn) => (turn.percent = 40)), /leg 0's percent is 0 in .*, 40 by/],
    [
      'another number of a leg',
      ofPackage('claimed', ({ formation }) => formation?.legs.forEach((leg) => (leg.formation = 7))),
      /leg 1's number is 1 in .*, 7 by/,
    ],
  ]);

  test('compares no second that the node does not say', async () => {
    const facts = await audited.facts();
    ofTurn('claimed', (turn) => (turn.since = null))(facts);
    expect(await accountsSay(audited.service, facts)).toBe('');
  });
});
