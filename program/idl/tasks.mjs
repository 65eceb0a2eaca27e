// Digital tasks: listed, worked on leg by leg, completed.
import { arrayTypeNode, definedTypeLinkNode, fixedCountNode } from 'codama';
import {
  accountWithTail,
  arg,
  bytes,
  bytes16,
  bytes32,
  config,
  coordinator,
  countedLater,
  event,
  field,
  i64,
  instruction,
  key,
  pda,
  proof,
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

const MAX_LEGS = 4;

const task = slot('task', 'w', 'The task.');
const vault = slot('vault', 'w', 'Vault of the task.');
const funder = slot('funder', 'w', 'Funder of the task; receives the refund.');
const taskLeg = slot('taskLeg', 'w', 'The leg.');
const anyExit = slot('signer', 's', 'Poster, funder or coordinator.');

/** settle and reclaim: after the fixed accounts come the assigned legs in index order, each with who paid its rent. */
const legsWithRentPayers = writableAccounts(
  'legsWithRentPayers',
  'Exactly the assigned legs in index order, each followed by its rent payer.',
);

export const tasks = {
  accounts: [
    accountWithTail(
      'task',
      6,
      312,
      'task',
      'Work of up to four agents, one after the other, whose budget is locked in its vault.',
      [
        field('status', definedTypeLinkNode('taskStatus')),
        field('vaultBump', u8, "Canonical bump of the vault's address."),
        field('numLegs', u8, '1 to 4; every leg is paid floor(maxBudget / numLegs).'),
        field('assignedLegs', u8, 'Bit i: leg i has an agent, also once it is completed.'),
        field('completedLegs', u8, 'Legs are completed in index order.'),
        field('taskId', bytes16, "The service's id of the task."),
        field('poster', key, 'Whose task it is.'),
        field('funder', key, 'Paid the budget; receives what is left of it.'),
        field('agents', arrayTypeNode(key, fixedCountNode(MAX_LEGS)), 'Agent of each leg; all zero: none.'),
        field('maxBudget', u64, 'Lamports locked for agents.'),
        field('paid', u64, 'Lamports paid to agents so far.'),
        field('listedAt', i64, 'Unix seconds.'),
        field('deadline', i64, 'Unix seconds; from then on the budget can be reclaimed.'),
        field('termsHash', bytes32, 'SHA-256 of the canonical JSON of what was listed.'),
        field('formation', u16, 'With terms: how often a leg was given to an agent so far.'),
        field('nonce', bytes(8), 'Tells the listing from one at the same address on another cluster; all zero: listed before there were nonces.'),
        field('asset', u8, 'What the amounts count; 0: lamports.'),
        field('reserved', bytes(21), 'All zero.'),
      ],
      'terms',
    ),
    accountWithTail(
      'taskLeg',
      7,
      149,
      'taskLeg',
      'One part of a task, given to an agent.',
      [
        field('status', definedTypeLinkNode('legStatus')),
        field('index', u8),
        field('task', key),
        field('agent', key),
        field('rentPayer', key, 'Receives the rent of the leg when it closes.'),
        field('paymentLamports', u64),
        field('resultHash', bytes32, 'SHA-256 of the result; all zero: not yet. With terms, of what is claimed.'),
        field('completedAt', i64, 'Unix seconds; 0: not yet.'),
      ],
      'turn',
    ),
  ],
  definedTypes: [
    status('taskStatus', ['listed', 'inProgress', 'completed', 'cancelled', 'reclaimed']),
    event('taskListedEvent', 16, 'A task is listed and its budget locked.', [
      field('task', key),
      field('poster', key),
      field('funder', key),
      field('numLegs', u8),
      field('maxBudget', u64),
      field('deadline', i64),
      field('termsHash', bytes32),
    ]),
    event('taskLegAssignedEvent', 17, 'An agent has a leg of a task.', [
      field('task', key),
      field('taskLeg', key),
      field('agent', key),
      field('index', u8),
      field('paymentLamports', u64),
    ]),
    event('taskLegReleasedEvent', 18, 'A leg of a task was taken from its agent.', [
      field('task', key),
      field('taskLeg', key),
      field('agent', key),
      field('index', u8),
    ]),
    event('taskLegConfirmedEvent', 19, 'A leg of a task is completed and its agent paid.', [
      field('task', key),
      field('taskLeg', key),
      field('agent', key),
      field('index', u8),
      field('paymentLamports', u64),
      field('resultHash', bytes32),
    ]),
    event('taskSettledEvent', 20, 'A task is completed and the rest of its vault returned.', [
      field('task', key),
      field('paidLamports', u64),
      field('refundLamports', u64),
    ]),
    event('taskCancelledEvent', 21, 'A listed task was cancelled.', [field('task', key), field('refundLamports', u64)]),
    event('taskReclaimedEvent', 22, 'The deadline passed and the vault was returned.', [
      field('task', key),
      field('paidLamports', u64),
      field('refundLamports', u64),
    ]),
    event('taskClosedEvent', 23, 'The data of a task that is over was given up.', [
      field('task', key),
      field('rentLamports', u64, 'What the funder received.'),
    ]),
  ],
  pdas: [pda('task', 'task', { poster: key, taskId: bytes16 }), pda('taskLeg', 'task_leg', { task: key, index: u8 })],
  instructions: [
    instruction(
      'listTask',
      16,
      [
        'Lists a task and locks its budget in a vault.',
        'Signed by the funder, and by the poster unless the funder is the coordinator. For a mandate its delegate signs, who is the poster.',
      ],
      [
        slot('funder', 'w', 'Pays the budget and the rent; signs unless it is a mandate.', { isSigner: 'either' }),
        slot('poster', '', 'Whose task it is; signs unless the funder is the coordinator.', { isSigner: 'either' }),
        config,
        slot('task', 'w', 'The task to create.'),
        slot('vault', 'w', 'The vault to fund.'),
        systemProgram,
      ],
      [
        arg('taskId', bytes16, "The service's id of the task."),
        arg('numLegs', u8, '1 to 4.'),
        arg('maxBudget', u64, 'Lamports to lock for agents; at least one for each leg.'),
        arg('deadline', i64, 'Unix seconds; 10 minutes to 180 days from now.'),
        arg('termsHash', bytes32, 'SHA-256 of the canonical JSON of what is listed.'),
        tailArg('terms', 'What binds both sides; without it nothing does but the deadline.'),
      ],
    ),
    instruction(
      'assignTaskLeg',
      17,
      ['Gives a leg to an agent, with terms the next one. Signed by the coordinator, before the deadline.'],
      [
        coordinator,
        config,
        task,
        systemProgram,
        slot('taskLeg', 'w', 'The leg to create.'),
        slot('agent', '', 'Agent of the leg.'),
        slot('reputation', 'w', "The agent's reputation; created when missing."),
      ],
      [arg('index', u8, 'A leg without an agent.'), countedLater],
    ),
    instruction(
      'releaseTaskLeg',
      18,
      ['Takes a leg that is not completed, with terms a vacant one, from its agent. Signed by the coordinator.'],
      [
        slot('coordinator', 's', 'Coordinator.'),
        config,
        task,
        taskLeg,
        slot('rentPayer', 'w', "The leg's rent payer; receives its rent."),
        slot(
          'agent',
          '',
          'Agent of the leg, from whom it is taken and from nobody else. May be left out.',
          {
            isOptional: true,
          },
        ),
      ],
      [arg('index', u8, 'A leg with an agent.')],
      { optionalAccountStrategy: 'omitted' },
    ),
    instruction(
      'confirmTaskLeg',
      19,
      [
        'Attests a result: completes the next leg in order and pays its agent. Signed by the coordinator.',
        'With terms signed by poster or receiver while claimed, and by anyone once the review is over or the leg is ruled.',
      ],
      [
        slot('signer', '', 'Coordinator; with terms poster, receiver, or anyone; with terms signs, or has signed the text.', {
          isSigner: 'either',
        }),
        config,
        task,
        slot('taskLeg', 'w', 'The leg to complete.'),
        vault,
        slot('agent', 'w', 'Agent of the leg; is paid.'),
        slot('reputation', 'w', "The agent's reputation."),
        systemProgram,
      ],
      [
        arg('index', u8, 'Number of legs completed before.'),
        arg('resultHash', bytes32, 'SHA-256 of the result; with terms, as claimed.'),
      ],
      remaining(proof),
    ),
    instruction(
      'settleTask',
      20,
      [
        'Ends a completed task: the rest of the vault returns to the funder, rent to its payers.',
        'Signed by coordinator or funder.',
      ],
      [slot('signer', 's', 'Coordinator or funder.'), config, task, vault, funder, systemProgram],
      [],
      remaining(legsWithRentPayers),
    ),
    instruction(
      'cancelTask',
      21,
      ['Withdraws a listed task; the whole vault returns to the funder.', 'Signed by poster, funder or coordinator.'],
      [anyExit, config, task, vault, funder, systemProgram],
      [],
    ),
    instruction(
      'reclaimTask',
      22,
      [
        'After the deadline, returns the vault of a task that was not completed to its funder.',
        'With terms not while a claim, a dispute or a ruling is open.',
        'Signed by poster, funder or coordinator.',
      ],
      [anyExit, config, task, vault, funder, systemProgram],
      [],
      remaining(legsWithRentPayers, writableAccounts('agents', 'With terms: the agent of an accepted leg.')),
    ),
    instruction(
      'closeTask',
      23,
      [
        'Gives up the data of a task that is over; its rent returns to the funder. The empty account stays, so that the id cannot be used again.',
        'Signed by funder or coordinator.',
      ],
      [
        slot('signer', 's', 'Funder or coordinator.'),
        config,
        task,
        slot('funder', 'w', 'Funder of the task; receives the rent.'),
      ],
      [],
    ),
  ],
};
