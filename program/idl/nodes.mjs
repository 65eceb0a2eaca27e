// What the parts of the IDL are built from.
import {
  accountNode,
  booleanTypeNode,
  constantPdaSeedNodeFromString,
  bytesTypeNode,
  definedTypeLinkNode,
  definedTypeNode,
  enumEmptyVariantTypeNode,
  enumTypeNode,
  fieldDiscriminatorNode,
  fixedSizeTypeNode,
  getByteSizeVisitor,
  argumentValueNode,
  instructionAccountNode,
  instructionArgumentNode,
  instructionNode,
  instructionRemainingAccountsNode,
  LinkableDictionary,
  noneValueNode,
  numberTypeNode,
  numberValueNode,
  pdaLinkNode,
  pdaNode,
  publicKeyTypeNode,
  publicKeyValueNode,
  remainderOptionTypeNode,
  sizeDiscriminatorNode,
  structFieldTypeNode,
  structTypeNode,
  structTypeNodeFromInstructionArgumentNodes,
  variablePdaSeedNode,
  visit,
} from 'codama';

const SYSTEM_PROGRAM = publicKeyValueNode('11111111111111111111111111111111', 'systemProgram');

export const u8 = numberTypeNode('u8');
export const u16 = numberTypeNode('u16');
export const u32 = numberTypeNode('u32');
export const u64 = numberTypeNode('u64');
export const i64 = numberTypeNode('i64');
export const key = publicKeyTypeNode();
export const bytes = (size) => fixedSizeTypeNode(bytesTypeNode(), size);
export const bytes16 = bytes(16);
export const bytes32 = bytes(32);

export const field = (name, type, docs) => structFieldTypeNode({ name, type, ...(docs && { docs: [docs] }) });
const constantField = (name, value, docs) =>
  structFieldTypeNode({
    name,
    type: u8,
    defaultValue: numberValueNode(value),
    defaultValueStrategy: 'omitted',
    ...(docs && { docs: [docs] }),
  });

/** Every account begins with its kind, the layout's version and the canonical bump of its address. */
const headed = (name, kind, size, pda, docs, { version, fields, told }) =>
  accountNode({
    name,
    size,
    docs: [docs],
    pda: pda && pdaLinkNode(pda),
    discriminators: [fieldDiscriminatorNode('kind', 0), ...told],
    data: structTypeNode([
      constantField('kind', kind, 'What the account holds; 0 is an account that was never written.'),
      version,
      field('bump', u8, 'Canonical bump of the address.'),
      ...fields,
    ]),
  });

export const account = (name, kind, size, pda, docs, fields) =>
  headed(name, kind, size, pda, docs, {
    version: constantField('version', 1, 'Version of the layout.'),
    fields,
    told: [fieldDiscriminatorNode('version', 1), sizeDiscriminatorNode(size)],
  });

/** As `account`, with terms one tail longer: `size` is what the account has without it. */
export const accountWithTail = (name, kind, size, pda, docs, fields, tail) =>
  headed(name, kind, size, pda, docs, {
    version: field('version', u8, 'Version of the layout: 1 without terms, 2 with them.'),
    fields: [...fields, field(tail, optionalTail(tail), 'Only in version 2.')],
    told: [],
  });

const optionalTail = (type) => remainderOptionTypeNode(definedTypeLinkNode(type));

const variants = (names) =>
  enumTypeNode(
    names.map((name) => enumEmptyVariantTypeNode(name)),
    { size: u8 },
  );

/** An event's first byte is the discriminator of the instruction that wrote it. */
export const event = (name, discriminator, docs, fields) =>
  definedTypeNode({
    name,
    docs: [docs],
    type: structTypeNode([constantField('discriminator', discriminator), ...fields]),
  });

/** A type with one value of a byte for each of these names, counted from 0. */
export const status = (name, names) => definedTypeNode({ name, type: variants(names) });

/** An address derived from a word and these values. */
export const pda = (name, word, values, docs) =>
  pdaNode({
    name,
    ...(docs && { docs: [docs] }),
    seeds: [
      constantPdaSeedNodeFromString('utf8', word),
      ...Object.entries(values).map(([value, type]) => variablePdaSeedNode(value, type)),
    ],
  });

export const slot = (name, flags, docs, extra = {}) =>
  instructionAccountNode({
    name,
    isSigner: flags.includes('s'),
    isWritable: flags.includes('w'),
    docs: [docs],
    ...extra,
  });
export const config = slot('config', '', 'Config of the program.');
export const systemProgram = slot('systemProgram', '', 'System program.', { defaultValue: SYSTEM_PROGRAM });
export const coordinator = slot('coordinator', 'sw', 'Coordinator; pays fees and rent.');

const byteSize = getByteSizeVisitor(new LinkableDictionary(), {});

/** An instruction is told by its first byte and the exact length of its data, unless that ends in a tail. */
export const instruction = (name, discriminator, docs, instructionAccounts, args, extra = {}) => {
  const all = [
    instructionArgumentNode({
      name: 'discriminator',
      type: u8,
      defaultValue: numberValueNode(discriminator),
      defaultValueStrategy: 'omitted',
    }),
    ...args,
  ];
  const size = visit(structTypeNodeFromInstructionArgumentNodes(all), byteSize);
  return instructionNode({
    name,
    docs,
    accounts: instructionAccounts,
    discriminators: [
      fieldDiscriminatorNode('discriminator', 0),
      ...(size === null ? [] : [sizeDiscriminatorNode(size)]),
    ],
    arguments: all,
    ...extra,
  });
};
export const arg = (name, type, docs) => instructionArgumentNode({ name, type, docs: [docs] });

/** The last argument, which may be left out. */
export const tailArg = (name, docs) =>
  instructionArgumentNode({ name, type: optionalTail(name), docs: [docs], defaultValue: noneValueNode() });

/** The last argument of an assignment, which may be left out. */
export const countedLater = instructionArgumentNode({
  name: 'countedLater',
  type: remainderOptionTypeNode(booleanTypeNode()),
  docs: [
    'With terms, true: the leg counts as accepted once its worker has the parcel, has claimed its result, or has lost its stake.',
    'Absent: it counts at once.',
  ],
  defaultValue: noneValueNode(),
});

const trailing = (isWritable) => (name, docs) =>
  instructionRemainingAccountsNode(argumentValueNode(name), {
    isSigner: false,
    isWritable,
    isOptional: true,
    docs: [docs],
  });

/** After the fixed accounts come these, one list after the other; the builder takes each by its name. */
export const remaining = (...lists) => ({ remainingAccounts: lists });
export const writableAccounts = trailing(true);
export const counted = (docs, ...more) => remaining(writableAccounts('counted', docs), ...more);
export const readonlyAccounts = trailing(false);
export const proof = readonlyAccounts(
  'proof',
  'The instructions sysvar, where the Ed25519 instruction just before has the signed text of the handoff in place of a signature.',
);
