// Who may do what, and how that changes.
import { booleanTypeNode } from 'codama';
import { account, arg, event, field, instruction, key, pda, slot, systemProgram, u8 } from './nodes.mjs';

const authority = slot('authority', 's', 'Authority of the program.');
const writableConfig = slot('config', 'w', 'Config of the program.');

export const governance = {
  accounts: [
    account('config', 1, 100, 'config', 'Who may do what; one for the program.', [
      field('authority', key, 'Cold key: replaces the coordinator, pauses, hands its role on.'),
      field('pendingAuthority', key, 'Proposed next authority; all zero: none.'),
      field('coordinator', key, 'Hot key of the service.'),
      field('paused', u8, '1: nothing new starts, every exit stays open.'),
    ]),
  ],
  definedTypes: [
    event('initializedEvent', 0, 'The program has its authority and its coordinator.', [
      field('authority', key),
      field('coordinator', key),
    ]),
    event('coordinatorSetEvent', 1, 'The service has another hot key.', [field('coordinator', key)]),
    event('pausedSetEvent', 2, 'The program was paused or started again.', [field('paused', u8, '1: paused.')]),
    event('authorityProposedEvent', 12, 'The authority named who may take over its role.', [
      field('authority', key, 'All zero: the proposal was withdrawn.'),
    ]),
    event('authorityAcceptedEvent', 13, 'There is another authority.', [field('authority', key)]),
  ],
  pdas: [pda('config', 'config', {})],
  instructions: [
    instruction(
      'initialize',
      0,
      ["Names the authority and the coordinator, once. Signed by the program's upgrade authority."],
      [
        slot('upgradeAuthority', 'sw', 'Upgrade authority of the program; pays the rent of Config.'),
        writableConfig,
        slot('program', '', 'The program itself.'),
        slot('programData', '', "The program's ProgramData account."),
        systemProgram,
      ],
      [arg('authority', key, 'Cold key.'), arg('coordinator', key, 'Hot key; another one than the authority.')],
    ),
    instruction(
      'setCoordinator',
      1,
      ['Replaces the hot key of the service, at once. Signed by the authority.'],
      [authority, writableConfig],
      [arg('coordinator', key, 'The new hot key; another one than the authority, not zero.')],
    ),
    instruction(
      'setPaused',
      2,
      ['Pauses the program, or lets new things start again; exits are always open. Signed by the authority.'],
      [authority, writableConfig],
      [arg('paused', booleanTypeNode(), 'True: nothing new can be listed, formed or assigned, and no leg of a task confirmed.')],
    ),
    instruction(
      'proposeAuthority',
      12,
      ['Names who may take over the role of the authority. Signed by the authority.'],
      [authority, writableConfig],
      [arg('newAuthority', key, 'Another key than the coordinator; all zero withdraws the proposal.')],
    ),
    instruction(
      'acceptAuthority',
      13,
      ['Takes over the role of the authority. Signed by the key that was proposed.'],
      [slot('newAuthority', 's', 'The proposed authority.'), writableConfig],
      [],
    ),
  ],
};
