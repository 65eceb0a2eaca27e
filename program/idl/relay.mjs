// The source of relay.json: accounts, instructions, events and errors of the program, as Codama nodes.
// `npm run generate` renders relay.json and the typed client from it.
import {
  accountNode,
  argumentValueNode,
  booleanTypeNode,
  bytesTypeNode,
  constantPdaSeedNodeFromString,
  definedTypeLinkNode,
  definedTypeNode,
  enumEmptyVariantTypeNode,
  enumTypeNode,
  errorNode,
  fieldDiscriminatorNode,
  fixedSizeTypeNode,
  instructionAccountNode,
  instructionArgumentNode,
  instructionNode,
  instructionRemainingAccountsNode,
  numberTypeNode,
  numberValueNode,
  pdaLinkNode,
  pdaNode,
  programNode,
  publicKeyTypeNode,
  publicKeyValueNode,
  rootNode,
  sizeDiscriminatorNode,
  structFieldTypeNode,
  structTypeNode,
  variablePdaSeedNode,
} from 'codama';

const SYSTEM_PROGRAM = publicKeyValueNode('11111111111111111111111111111111', 'systemProgram');

const u8 = numberTypeNode('u8');
const u16 = numberTypeNode('u16');
const u64 = numberTypeNode('u64');
const i64 = numberTypeNode('i64');
const key = publicKeyTypeNode();
const bytes16 = fixedSizeTypeNode(bytesTypeNode(), 16);
const bytes32 = fixedSizeTypeNode(bytesTypeNode(), 32);

const field = (name, type, docs) => structFieldTypeNode({ name, type, ...(docs && { docs: [docs] }) });
const constantField = (name, value, docs) =>
  structFieldTypeNode({
    name,
    type: u8,
    defaultValue: numberValueNode(value),
    defaultValueStrategy: 'omitted',
    ...(docs && { docs: [docs] }),
  });

/** Every account begins with its kind, the layout's version and the canonical bump of its address. */
const account = (name, kind, size, pda, docs, fields) =>
  accountNode({
    name,
    size,
    docs: [docs],
    pda: pda && pdaLinkNode(pda),
    discriminators: [fieldDiscriminatorNode('kind', 0), fieldDiscriminatorNode('version', 1), sizeDiscriminatorNode(size)],
    data: structTypeNode([
      constantField('kind', kind, 'What the account holds; 0 is an account that was never written.'),
      constantField('version', 1, 'Version of the layout.'),
      field('bump', u8, 'Canonical bump of the address.'),
      ...fields,
    ]),
  });

const accounts = [
  account('config', 1, 100, 'config', 'Who may do what; one for the program.', [
    field('authority', key, 'Cold key: replaces the coordinator, pauses, hands its role on.'),
    field('pendingAuthority', key, 'Proposed next authority; all zero: none.'),
    field('coordinator', key, 'Hot key of the service.'),
    field('paused', u8, '1: nothing new starts, every exit stays open.'),
  ]),
  account('package', 2, 183, 'package', 'A delivery whose budget is locked in its vault.', [
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
    field('reserved', bytes32, 'All zero.'),
  ]),
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
  account('leg', 4, 85, 'leg', 'One hop of a swarm.', [
    field('status', definedTypeLinkNode('legStatus')),
    field('index', u8),
    field('swarm', key),
    field('courier', key),
    field('paymentLamports', u64),
    field('completedAt', i64, 'Unix seconds; 0: not yet.'),
  ]),
  account('reputation', 5, 52, 'reputation', 'What an agent accepted and completed.', [
    field('reliabilityScore', u8, 'floor(legsCompleted * 100 / legsAccepted).'),
    field('agent', key),
    field('legsAccepted', u64),
    field('legsCompleted', u64),
  ]),
];

const variants = (names) => enumTypeNode(names.map((name) => enumEmptyVariantTypeNode(name)), { size: u8 });

/** An event's first byte is the discriminator of the instruction that wrote it. */
const event = (name, discriminator, docs, fields) =>
  definedTypeNode({
    name,
    docs: [docs],
    type: structTypeNode([constantField('discriminator', discriminator), ...fields]),
  });

const definedTypes = [
  definedTypeNode({
    name: 'packageStatus',
    type: variants(['listed', 'forming', 'inTransit', 'delivered', 'cancelled', 'reclaimed']),
  }),
  definedTypeNode({ name: 'swarmStatus', type: variants(['forming', 'active']) }),
  definedTypeNode({ name: 'legStatus', type: variants(['pending', 'completed']) }),
  event('initializedEvent', 0, 'The program has its authority and its coordinator.', [
    field('authority', key),
    field('coordinator', key),
  ]),
  event('coordinatorSetEvent', 1, 'The service has another hot key.', [field('coordinator', key)]),
  event('pausedSetEvent', 2, 'The program was paused or started again.', [field('paused', u8, '1: paused.')]),
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
  event('legAssignedEvent', 6, 'A courier has a leg.', [
    field('swarm', key),
    field('leg', key),
    field('courier', key),
    field('index', u8),
    field('paymentLamports', u64),
  ]),
  event('legConfirmedEvent', 7, 'A leg is completed and its courier paid.', [
    field('swarm', key),
    field('leg', key),
    field('courier', key),
    field('index', u8),
    field('paymentLamports', u64),
  ]),
  event('packageSettledEvent', 8, 'A package is delivered and the rest of its vault returned.', [
    field('package', key),
    field('paidLamports', u64),
    field('refundLamports', u64),
  ]),
  event('packageReclaimedEvent', 10, 'The deadline passed and the vault was returned.', [
    field('package', key),
    field('paidLamports', u64),
    field('refundLamports', u64),
  ]),
  event('packageClosedEvent', 11, 'The data of a package that is over was given up.', [
    field('package', key),
    field('rentLamports', u64, 'What the funder received.'),
  ]),
  event('authorityProposedEvent', 12, 'The authority named who may take over its role.', [
    field('authority', key, 'All zero: the proposal was withdrawn.'),
  ]),
  event('authorityAcceptedEvent', 13, 'There is another authority.', [field('authority', key)]),
];

const pdas = [
  pdaNode({ name: 'config', seeds: [constantPdaSeedNodeFromString('utf8', 'config')] }),
  pdaNode({
    name: 'package',
    seeds: [
      constantPdaSeedNodeFromString('utf8', 'package'),
      variablePdaSeedNode('shipper', key),
      variablePdaSeedNode('packageId', bytes16),
    ],
  }),
  pdaNode({
    name: 'vault',
    docs: ['A system account without data that holds the budget and its own rent-exempt minimum.'],
    seeds: [constantPdaSeedNodeFromString('utf8', 'vault'), variablePdaSeedNode('package', key)],
  }),
  pdaNode({
    name: 'swarm',
    seeds: [constantPdaSeedNodeFromString('utf8', 'swarm'), variablePdaSeedNode('package', key)],
  }),
  pdaNode({
    name: 'leg',
    seeds: [
      constantPdaSeedNodeFromString('utf8', 'leg'),
      variablePdaSeedNode('swarm', key),
      variablePdaSeedNode('index', u8),
    ],
  }),
  pdaNode({
    name: 'reputation',
    seeds: [constantPdaSeedNodeFromString('utf8', 'reputation'), variablePdaSeedNode('agent', key)],
  }),
];

const slot = (name, flags, docs, extra = {}) =>
  instructionAccountNode({
    name,
    isSigner: flags.includes('s'),
    isWritable: flags.includes('w'),
    docs: [docs],
    ...extra,
  });
const config = slot('config', '', 'Config of the program.');
const systemProgram = slot('systemProgram', '', 'System program.', { defaultValue: SYSTEM_PROGRAM });
const packageSlot = slot('package', 'w', 'The package.');
const vault = slot('vault', 'w', 'Vault of the package.');
const funder = slot('funder', 'w', 'Funder of the package; receives the refund.');
const swarm = slot('swarm', 'w', 'Swarm of the package.');
const coordinator = slot('coordinator', 'sw', 'Coordinator; pays fees and rent.');
const authority = slot('authority', 's', 'Authority of the program.');
const writableConfig = slot('config', 'w', 'Config of the program.');
const anyExit = slot('signer', 's', 'Shipper, funder or coordinator.');
const rentPayer = slot('rentPayer', 'w', "The swarm's rent payer; receives the rent of swarm and legs.");

const instruction = (name, discriminator, docs, instructionAccounts, args, extra = {}) =>
  instructionNode({
    name,
    docs,
    accounts: instructionAccounts,
    discriminators: [fieldDiscriminatorNode('discriminator', 0)],
    arguments: [
      instructionArgumentNode({
        name: 'discriminator',
        type: u8,
        defaultValue: numberValueNode(discriminator),
        defaultValueStrategy: 'omitted',
      }),
      ...args,
    ],
    ...extra,
  });
const arg = (name, type, docs) => instructionArgumentNode({ name, type, docs: [docs] });

/** settle and reclaim: after the fixed accounts come the swarm's assigned legs, writable, in index order. */
const withLegs = {
  remainingAccounts: [
    instructionRemainingAccountsNode(argumentValueNode('legs'), {
      isSigner: false,
      isWritable: true,
      isOptional: true,
      docs: ['Exactly the assigned legs of the swarm, in index order.'],
    }),
  ],
};

const instructions = [
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
    [arg('paused', booleanTypeNode(), 'True: nothing new can be listed, formed or assigned.')],
  ),
  instruction(
    'listPackage',
    3,
    [
      'Lists a package and locks its budget in a vault.',
      'Signed by the funder, and by the shipper unless the funder is the coordinator.',
    ],
    [
      slot('funder', 'sw', 'Pays the budget and the rent.'),
      slot('shipper', '', 'Confirms the final leg; signs unless the funder is the coordinator.', { isSigner: 'either' }),
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
    ],
  ),
  instruction(
    'cancelPackage',
    4,
    ['Withdraws a listed package; the whole vault returns to the funder.', 'Signed by shipper, funder or coordinator.'],
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
    ['Gives the next leg to a courier. Signed by the coordinator. The last leg makes the swarm active.'],
    [
      coordinator,
      config,
      packageSlot,
      swarm,
      systemProgram,
      slot('leg', 'w', 'The leg to create.'),
      slot('courier', '', 'Courier of the leg.'),
      slot('reputation', 'w', "The courier's reputation; created when missing."),
    ],
    [arg('index', u8, 'Number of legs assigned before.'), arg('paymentLamports', u64, 'Payment of the leg; above 0.')],
  ),
  instruction(
    'confirmLeg',
    7,
    [
      'Attests a handoff: completes the next leg in order and pays its courier.',
      "Signed by the next leg's courier, or by the shipper for the final leg.",
    ],
    [
      slot('recipient', 's', 'Who received the package.'),
      packageSlot,
      swarm,
      slot('leg', 'w', 'The leg to complete.'),
      vault,
      slot('courier', 'w', 'Courier of the leg; is paid.'),
      slot('reputation', 'w', "The courier's reputation."),
      slot('nextLeg', '', 'The leg after this one; absent for the final leg.', { isOptional: true }),
      systemProgram,
    ],
    [arg('formation', u16, 'Formation of the swarm that the recipient attests.')],
    { optionalAccountStrategy: 'programId' },
  ),
  instruction(
    'settle',
    8,
    [
      'Closes a completed swarm: the rest of the vault returns to the funder, rent to its payer.',
      'Signed by coordinator or funder.',
    ],
    [slot('signer', 's', 'Coordinator or funder.'), config, packageSlot, vault, funder, swarm, rentPayer, systemProgram],
    [],
    withLegs,
  ),
  instruction(
    'reclaimPackage',
    10,
    [
      'After the deadline, returns the vault of a package that was not delivered to its funder.',
      'Signed by shipper, funder or coordinator.',
    ],
    [anyExit, config, packageSlot, vault, funder, swarm, rentPayer, systemProgram],
    [],
    withLegs,
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
];

const errors = [
  ['legOutOfOrder', 'Legs are assigned and confirmed in index order; this is not the next one'],
  ['missingNextLeg', 'An intermediate leg needs the next leg account'],
  ['unexpectedNextLeg', 'The final leg takes no next leg account'],
  ['unauthorizedRecipient', 'Only the recipient of this leg may confirm it'],
  ['insufficientVault', 'The vault cannot cover the payment on top of its rent minimum'],
  ['invalidStatus', 'The account is not in a status that allows this'],
  ['paused', 'The program is paused; only exits are open'],
  ['unauthorized', 'The signer may not do this'],
  ['deadlinePassed', 'The deadline of the package has passed'],
  ['deadlineNotReached', 'The deadline of the package has not been reached'],
  ['budgetExceeded', 'The payments exceed what is available for them'],
  ['invalidLegCount', 'The number of legs is not allowed or not the one expected'],
  ['invalidAmount', 'An amount must be above zero'],
  ['duplicateCourier', 'A courier cannot have two legs in a row'],
  ['selfDealing', 'The courier may be neither shipper nor coordinator nor an account of the delivery'],
  ['invalidDeadline', 'The deadline must lie 10 minutes to 180 days ahead'],
  ['formationMismatch', 'The confirmation belongs to another formation of the package'],
  ['legsIncomplete', 'Not every leg is completed'],
  ['legsComplete', 'Every leg is completed; settle instead'],
  ['totalMismatch', 'The payments of all legs must add up to the total of the swarm'],
  ['invalidCourier', 'The courier must be a system account that is not executable'],
  ['payeeCannotReceive', 'The payee is executable or would stay below its rent minimum'],
  ['invalidRole', 'Authority and coordinator must be two different keys, neither of them zero'],
  ['alreadyInitialized', 'The account to create exists already'],
  ['invalidAccount', 'An account is not the one expected in its place'],
  ['invalidAccountOwner', 'An account is not owned by the program expected'],
  ['invalidAccountKind', 'An account is not of the kind or version expected'],
  ['missingSignature', 'A required signature is missing'],
  ['accountNotWritable', 'An account that must be writable is not'],
  ['notEnoughAccounts', 'The instruction needs more accounts'],
  ['invalidInstruction', 'The instruction is unknown or its data has the wrong length'],
  ['arithmeticOverflow', 'An amount does not fit'],
].map(([name, message], index) => errorNode({ name, code: 6000 + index, message, docs: [`${name}: ${message}`] }));

export const idl = rootNode(
  programNode({
    name: 'relay',
    version: '0.1.0',
    docs: ['Escrow, handoff and reputation of Agent Relay. The address is chosen at deployment.'],
    // Codama wants an address; clients never use it.
    publicKey: '11111111111111111111111111111111',
    accounts,
    instructions,
    definedTypes,
    pdas,
    errors,
  }),
);
