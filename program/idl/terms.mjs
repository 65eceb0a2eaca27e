// Terms: what binds both sides of a listing, and the moves of the legs under them.
import { booleanTypeNode, definedTypeNode, structTypeNode } from 'codama';
import {
  arg,
  bytes32,
  config,
  counted,
  event,
  field,
  i64,
  instruction,
  key,
  proof,
  slot,
  systemProgram,
  u16,
  u32,
  u64,
  u8,
} from './nodes.mjs';

const listing = slot('listing', '', 'The package or task.');
const noSwarm = { isOptional: true };
const swarm = slot('swarm', '', 'Swarm of the package; absent for a task.', noSwarm);
const leg = slot('leg', 'w', 'The leg.');
const formation = arg(
  'formation',
  u16,
  "The leg's own number: how often legs were given away before its courier got it.",
);

const struct = (name, docs, fields) => definedTypeNode({ name, docs: [docs], type: structTypeNode(fields) });

/** Every move says which leg it is of, and of whom. */
const move = (name, discriminator, docs, fields) =>
  event(name, discriminator, docs, [
    field('listing', key),
    field('leg', key),
    field('courier', key),
    field('index', u8),
    field('formation', u16),
    ...fields,
  ]);

/** The swarm may be absent: the program's own address stands in its place. */
const moving = (name, discriminator, docs, accounts, args, extra = {}) =>
  instruction(name, discriminator, docs, accounts, [formation, ...args], {
    optionalAccountStrategy: 'programId',
    ...extra,
  });

/** Left out where the leg does not begin to count. */
const countedFrom = (when, ...more) =>
  counted(`The worker's reputation, which counts the leg from now on: ${when}.`, ...more);

export const terms = {
  definedTypes: [
    struct('terms', 'What binds both sides of a package or task; never changed.', [
      field('receiver', key, "Confirms and disputes in the lister's place; all zero: nobody."),
      field('arbiter', key, 'Rules disputes.'),
      field('stake', u64, 'Lamports of each side of a disputed leg.'),
      field('carry', u32, 'Seconds from the turn of a leg to its pickup, and from pickup to handoff or claim.'),
      field('handoff', u32, 'Seconds to accept a leg, and to take over from a courier who claims to be there.'),
      field('review', u32, 'Seconds to contradict a claim.'),
      field('arbitration', u32, 'Seconds to rule a dispute.'),
      field('flags', u8, 'Bit 0: the lister signs the first pickup too.'),
    ]),
    struct('turn', 'Where a leg with terms stands.', [
      field('since', i64, 'Unix seconds of the last change of status, or of the coming of its turn.'),
      field('formation', u16, 'Tells this courier of the leg from every other one.'),
      field('note', u8, '1: disputed by the lister; 2: disputed by the receiver; 3: not yet counted as accepted; else 0.'),
      field('percent', u8, 'Share of the payment by the ruling; 0: not ruled.'),
    ]),
    move('acceptedEvent', 24, 'A courier posted its stake, took the parcel over, or both.', [
      field('take', u8, '1: the parcel was picked up.'),
    ]),
    move('vacatedEvent', 25, 'A leg has no courier any more.', [
      field('forfeitedLamports', u64, 'The stake, when its clock was over; 0: left in time.'),
    ]),
    move('claimedEvent', 26, 'A courier says that its leg is done.', [
      field('evidenceHash', bytes32, 'SHA-256 of the evidence, or of the result.'),
    ]),
    move('disputedEvent', 27, 'Lister or receiver contradicts a claim.', [
      field('reasonHash', bytes32, 'SHA-256 of the reason.'),
    ]),
    move('ruledEvent', 28, 'A dispute is ruled, or both sides agree.', [
      field('percent', u8, 'Share of the payment; 0: the leg is vacant.'),
    ]),
  ],
  instructions: [
    moving(
      'accept',
      24,
      [
        'Posts the stake of a pending leg, and with `take` picks the parcel up. Signed by the courier, before the deadline.',
        'The first pickup is signed by the lister too if the terms say so.',
      ],
      [
        slot('courier', 'sw', 'Courier of the leg; pays the stake.'),
        listing,
        swarm,
        leg,
        slot('lister', '', 'Shipper or poster; signs the first pickup if the terms say so, or has signed its text.', {
          isSigner: 'either' }),
        systemProgram,
      ],
      [arg('take', booleanTypeNode(), 'True: the parcel is picked up. Never for a task.')],
      countedFrom('with take', proof),
    ),
    moving(
      'vacate',
      25,
      [
        'Gives a leg up. Signed by its courier before its clock is over, and the stake returns.',
        'From then on signed by anyone, for a parcel that was picked up by the lister, and the stake goes to the vault.',
      ],
      [
        slot('signer', 's', 'Courier of the leg, lister, or anyone.'),
        listing,
        slot('swarm', 'w', 'Swarm of the package; absent for a task.', noSwarm),
        leg,
        slot('courier', 'w', 'Courier of the leg; receives the stake if it leaves in time.'),
        slot('vault', 'w', 'Vault of the package or task; receives the stake otherwise.'),
        slot('previousLeg', '', 'The leg before, if that is claimed; else absent.', { isOptional: true }),
      ],
      [],
      countedFrom('if its stake is lost'),
    ),
    moving(
      'claim',
      26,
      ['Says that the leg is done. Signed by its courier, before the deadline.'],
      [slot('courier', 's', 'Courier of the leg.'), listing, swarm, leg],
      [arg('evidenceHash', bytes32, 'SHA-256 of the evidence; of a task, of the result.')],
      countedFrom('of a task'),
    ),
    moving(
      'dispute',
      27,
      ['Contradicts a claim, with a stake. Signed by lister or receiver, until the review is over.'],
      [slot('disputer', 'sw', 'Lister or receiver; pays the stake.'), listing, swarm, leg, systemProgram],
      [arg('reasonHash', bytes32, 'SHA-256 of the reason.')],
    ),
    moving(
      'rule',
      28,
      [
        'Ends a dispute. Signed by the arbiter until its clock is over, from then on by anyone with 50 percent.',
        'Signed by lister and courier together at any time, also before a dispute.',
      ],
      [
        slot('signer', 's', 'Arbiter, lister, or anyone.'),
        slot('worker', 'w', 'Courier of the leg; signs an agreement.', { isSigner: 'either' }),
        slot('other', 'w', 'Who disputed; the lister if nobody did.'),
        config,
        listing,
        swarm,
        leg,
        slot(
          'fee',
          'w',
          "The arbiter, or the incinerator after the arbiter's clock; of an agreement it receives nothing.",
        ),
        slot('vault', 'w', 'Vault of the package or task; receives what a wallet cannot.'),
      ],
      [arg('percent', u8, 'Share of the payment, 0 to 100; 0: the leg is vacant.')],
    ),
  ],
};
