// Packages: listed, carried leg by leg by a swarm, delivered.
import { definedTypeLinkNode } from 'codama';
import {
  account,
  accountWithTail,
  arg,
  bytes,
  bytes16,
  bytes32,
  config,
  coordinator,
  counted,
  countedLater,
  event,
  field,
  i64,
  instruction,
  key,
  pda,
  proof,
  readonlyAccounts,
  remaining,
  slot,
  status,
  systemProgram,
  tailArg,
  u16,
  u64,
  u8,
  writableAccounts,
} from './nodes.mjs';

const packageSlot = slot('package', 'w', 'The package.');
const vault = slot('vault', 'w', 'Vault of the package.');
const funder = slot('funder', 'w', 'Funder of the package; receives the refund.');
const swarm = slot('swarm', 'w', 'Swarm of the package.');
const anyExit = slot('signer', 's', 'Shipper, funder or coordinator.');
const rentPayer = slot('rentPayer', 'w', "The swarm's rent payer; receives the rent of swarm and legs.");

/** What two events each say: who has a leg and for how much, and how a package ended. */
const legOfCourier = [
  field('swarm', key),
  field('leg', key),
  field('courier', key),
  field('index', u8),
  field('paymentLamports', u64),
];
const ended = [field('package', key), field('paidLamports', u64), field('refundLamports', u64)];

/** settle and reclaim: after the fixed accounts come the swarm's assigned legs, writable, in index order. */
const legs = writableAccounts('legs', 'Exactly the assigned legs of the swarm, in index order.');

export const packages = {
  accounts: [
    accountWithTail(
      'package',
      2,
      183,
      'package',
      'A delivery whose budget is locked in its vault.',
      [
        field('status', definedTypeLinkNode('packageStatus')),
        field('vaultBump', u8, "Canonical bump of the vault's address."),
        field('formation', u16, 'How many swarms were formed for the package so far.'),
        field('packageId', bytes16, "The service's id of the package."),
        field('shipper', key, 'Confirms the final leg.'),
        field('funder', key, 'Paid the budget; receives what is left of it.'),
        field('maxBudget', u64, 'Lamports locked for couriers.'),
        field('paid', u64, 'Lamports paid to couriers so far.'),
        field('listedAt', i64, 'Unix seconds.'),
        field('deadline', i64, 'Unix seconds; from then on the budget can be reclaimed.'),
        field('termsHash', bytes32, 'SHA-256 of the canonical JSON of what was listed.'),
        field('nonce', bytes(8), 'Tells the listing from one at the same address on another cluster; all zero: listed before there were nonces.'),
        field('asset', u8, 'What the amounts count; 0: lamports.'),
        field('reserved', bytes(23), 'All zero.'),
      ],
      'terms',
    ),
    account('swarm', 3, 129, 'swarm', 'The chain of couriers of one formation of a package.', [
      field('status', definedTypeLinkNode('swarmStatus')),
      field('formation', u16, 'Formation of the package that this swarm is.'),
      field('totalLegs', u8),
      field('assignedLegs', u8),
      field('completedLegs', u8),
      field('package', key),
      field('rentPayer', key, 'Receives the rent of the swarm and its legs when they close.'),
      field('totalLamports', u64, 'Sum of the payments of all legs.'),
      field('assignedLamports', u64),
      field('paidLamports', u64),
      field('lastCourier', key, 'Courier of the leg assigned last; all zero: none yet.'),
    ]),
    accountWithTail(
      'leg',
      4,
      85,
      'leg',
      'One hop of a swarm.',
      [
        field('status', definedTypeLinkNode('legStatus')),
        field('index', u8),
        field('swarm', key),
        field('courier', key),
        field('paymentLamports', u64),
        field('completedAt', i64, 'Unix seconds; 0: not yet.'),
      ],
      'turn',
    ),
  ],
  definedTypes: [
    status('packageStatus', ['listed', 'forming', 'inTransit', 'delivered', 'cancelled', 'reclaimed']),
    status('swarmStatus', ['forming', 'active']),
    event('packageListedEvent', 3, 'A package is listed and its budget locked.', [
      field('package', key),
      field('shipper', key),
      field('funder', key),
      field('maxBudget', u64),
      field('deadline', i64),
      field('termsHash', bytes32),
    ]),
    event('packageCancelledEvent', 4, 'A listed package was cancelled.', [
      field('package', key),
      field('refundLamports', u64),
    ]),
    event('swarmFormedEvent', 5, 'A swarm was opened; its legs follow.', [
      field('package', key),
      field('swarm', key),
      field('formation', u16),
      field('totalLegs', u8),
      field('totalLamports', u64),
    ]),
    event('legAssignedEvent', 6, 'A courier has a leg.', legOfCourier),
    event('legConfirmedEvent', 7, 'A leg is completed and its courier paid.', legOfCourier),
    event('packageSettledEvent', 8, 'A package is delivered and the rest of its vault returned.', ended),
    event('packageReclaimedEvent', 10, 'The package was not delivered and the vault was returned.', ended),
    event('packageClosedEvent', 11, 'The data of a package that is over was given up.', [
      field('package', key),
      field('rentLamports', u64, 'What the funder received.'),
    ]),
  ],
  pdas: [
    pda('package', 'package', { shipper: key, packageId: bytes16 }),
    pda('swarm', 'swarm', { package: key }),
    pda('leg', 'leg', { swarm: key, index: u8 }),
  ],
  instructions: [
    instruction(
      'listPackage',
      3,
      [
        'Lists a package and locks its budget in a vault.',
        'Signed by the funder, and by the shipper unless the funder is the coordinator. For a mandate its delegate signs, who is the shipper.',
      ],
      [
        slot('funder', 'w', 'Pays the budget and the rent; signs unless it is a mandate.', { isSigner: 'either' }),
        slot('shipper', '', 'Confirms the final leg; signs unless the funder is the coordinator.', {
          isSigner: 'either',
        }),
        config,
        slot('package', 'w', 'The package to create.'),
        slot('vault', 'w', 'The vault to fund.'),
        systemProgram,
      ],
      [
        arg('packageId', bytes16, "The service's id of the package."),
        arg('maxBudget', u64, 'Lamports to lock for couriers; above 0.'),
        arg('deadline', i64, 'Unix seconds; 10 minutes to 180 days from now.'),
        arg('termsHash', bytes32, 'SHA-256 of the canonical JSON of what is listed.'),
        tailArg('terms', 'What binds both sides; without it nothing does but the deadline.'),
      ],
    ),
    instruction(
      'cancelPackage',
      4,
      [
        'Withdraws a listed package; the whole vault returns to the funder.',
        'Signed by shipper, funder or coordinator.',
      ],
      [anyExit, config, packageSlot, vault, funder, systemProgram],
      [],
    ),
    instruction(
      'formSwarm',
      5,
      ['Opens the swarm of a listed package. Signed by the coordinator, before the deadline.'],
      [coordinator, config, packageSlot, swarm, systemProgram],
      [arg('totalLegs', u8, '1 to 7.'), arg('totalLamports', u64, 'Sum of all payments; above 0, at most the budget.')],
    ),
    instruction(
      'assignLeg',
      6,
      [
        'Gives the next leg to a courier, or a vacant leg of an active swarm to another one. Signed by the coordinator.',
        'The last leg makes the swarm active.',
      ],
      [
        coordinator,
        config,
        packageSlot,
        swarm,
        systemProgram,
        slot('leg', 'w', 'The leg to create, or the vacant one.'),
        slot('courier', '', 'Courier of the leg.'),
        slot('reputation', 'w', "The courier's reputation; created when missing."),
      ],
      [
        arg('index', u8, 'Number of legs assigned before, or index of the vacant leg.'),
        arg('paymentLamports', u64, 'Payment of the leg; above 0.'),
        countedLater,
      ],
      remaining(
        readonlyAccounts(
          'neighbours',
          "For a vacant leg: the leg before and the leg after; the program's own address in place of one that there is not.",
        ),
      ),
    ),
    instruction(
      'confirmLeg',
      7,
      [
        'Attests a handoff: completes the next leg in order and pays its courier.',
        "Signed by the next leg's courier, or by the shipper for the final leg; or either has signed the text of the handoff.",
        'With terms, by anyone once the review of a claim is over or the arbiter has ruled.',
      ],
      [
        slot('recipient', '', 'Who received the package; signs, or has signed the text.', { isSigner: 'either' }),
        packageSlot,
        swarm,
        slot('leg', 'w', 'The leg to complete.'),
        vault,
        slot('courier', 'w', 'Courier of the leg; is paid.'),
        slot('reputation', 'w', "The courier's reputation."),
        slot('nextLeg', 'w', 'The leg after this one; absent for the final leg.', { isOptional: true }),
        systemProgram,
      ],
      [
        arg(
          'formation',
          u16,
          'Formation of the swarm that the recipient attests. With terms the number of the leg, or, when the next courier takes over, the larger of the numbers of both legs.',
        ),
      ],
      {
        optionalAccountStrategy: 'programId',
        ...counted(
          "With terms, the reputation of the next courier, which takes over: it counts that courier's leg.",
          proof,
        ),
      },
    ),
    instruction(
      'settle',
      8,
      [
        'Closes a completed swarm: the rest of the vault returns to the funder, rent to its payer.',
        'Signed by coordinator or funder.',
      ],
      [
        slot('signer', 's', 'Coordinator or funder.'),
        config,
        packageSlot,
        vault,
        funder,
        swarm,
        rentPayer,
        systemProgram,
      ],
      [],
      remaining(legs),
    ),
    instruction(
      'reclaimPackage',
      10,
      [
        'From the deadline on, returns the vault of a package that was not delivered to its funder; while its swarm is forming, at once.',
        'With terms also while nothing is picked up, but not while a claim, a dispute or a ruling is open.',
        'Signed by shipper, funder or coordinator.',
      ],
      [anyExit, config, packageSlot, vault, funder, swarm, rentPayer, systemProgram],
      [],
      remaining(legs, writableAccounts('couriers', 'With terms: the couriers of accepted legs, in index order.')),
    ),
    instruction(
      'closePackage',
      11,
      [
        'Gives up the data of a package that is over; its rent returns to the funder. The empty account stays, so that the id cannot be used again.',
        'Signed by funder or coordinator.',
      ],
      [
        slot('signer', 's', 'Funder or coordinator.'),
        config,
        packageSlot,
        slot('funder', 'w', 'Funder of the package; receives the rent.'),
      ],
      [],
    ),
  ],
};
