// What the parts of the IDL are built from.
import {
  accountNode,
  constantPdaSeedNodeFromString,
  bytesTypeNode,
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
  numberTypeNode,
  numberValueNode,
  pdaLinkNode,
  pdaNode,
  publicKeyTypeNode,
  publicKeyValueNode,
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
export const u64 = numberTypeNode('u64');
export const i64 = numberTypeNode('i64');
export const key = publicKeyTypeNode();
export const bytes16 = fixedSizeTypeNode(bytesTypeNode(), 16);
export const bytes32 = fixedSizeTypeNode(bytesTypeNode(), 32);

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
export const account = (name, kind, size, pda, docs, fields) =>
  accountNode({
    name,
    size,
    docs: [docs],
    pda: pda && pdaLinkNode(pda),
    discriminators: [
      fieldDiscriminatorNode('kind', 0),
      fieldDiscriminatorNode('version', 1),
      sizeDiscriminatorNode(size),
    ],
    data: structTypeNode([
      constantField('kind', kind, 'What the account holds; 0 is an account that was never written.'),
      constantField('version', 1, 'Version of the layout.'),
      field('bump', u8, 'Canonical bump of the address.'),
      ...fields,
    ]),
  });

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

/** An instruction is told by its first byte and the exact length of its data. */
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
    discriminators: [fieldDiscriminatorNode('discriminator', 0), sizeDiscriminatorNode(size)],
    arguments: all,
    ...extra,
  });
};
export const arg = (name, type, docs) => instructionArgumentNode({ name, type, docs: [docs] });

/** After the fixed accounts come these, writable; the builder takes them as `name`. */
export const remaining = (name, docs) => ({
  remainingAccounts: [
    instructionRemainingAccountsNode(argumentValueNode(name), {
      isSigner: false,
      isWritable: true,
      isOptional: true,
      docs: [docs],
    }),
  ],
});
