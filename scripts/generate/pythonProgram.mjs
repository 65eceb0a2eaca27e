// The program's IDL as tables, which `legwork.program` reads and writes by.
import { literal, quoted, snake } from './pythonText.mjs';

/** @param {object} program of the IDL */
export function pythonProgram({ instructions, accounts, definedTypes, pdas, errors }) {
  const structs = definedTypes.filter(({ name, type }) => type.kind === 'structTypeNode' && !name.endsWith('Event'));
  const enums = definedTypes.filter(({ type }) => type.kind === 'enumTypeNode');
  return [
    '\nfrom typing import Mapping, NamedTuple, Optional, Sequence\n\n',
    '\nclass Account(NamedTuple):\n    """An account that an instruction names."""\n\n',
    '    name: str\n    writable: bool\n    signer: bool\n    #: May be left out: then the address of the program itself stands in its place.\n    optional: bool\n    #: Of an account that is always the same.\n    address: Optional[str]\n\n',
    '\nclass Instruction(NamedTuple):\n    """An instruction: accounts in order, and arguments with their types."""\n\n',
    '    discriminator: int\n    accounts: Sequence[Account]\n    arguments: Mapping[str, str]\n\n',
    '\n#: Instructions by name. A type with a question mark is a tail that may be missing.\n',
    table(
      'INSTRUCTIONS',
      'Instruction',
      instructions.map((one) => [snake(one.name), instructionText(one)]),
    ),
    '\n#: Fields of each account, in order.\n',
    table(
      'ACCOUNTS',
      'Mapping[str, str]',
      accounts.map(({ name, data }) => [snake(name), literal(fieldsOf(data))]),
    ),
    '\n#: The first byte of each account.\n',
    table(
      'KINDS',
      'int',
      accounts.map(({ name, data }) => [snake(name), String(data.fields[0].defaultValue.number)]),
    ),
    '\n#: Structures within accounts and arguments.\n',
    table(
      'STRUCTS',
      'Mapping[str, str]',
      structs.map(({ name, type }) => [snake(name), literal(fieldsOf(type))]),
    ),
    '\n#: Words for a byte, in order.\n',
    table(
      'ENUMS',
      'Sequence[str]',
      enums.map(({ name, type }) => [snake(name), literal(type.variants.map((one) => snake(one.name)))]),
    ),
    '\n#: Seeds of derived addresses: a text in quotes, else the type of what stands there.\n',
    table(
      'SEEDS',
      'Sequence[str]',
      pdas.map(({ name, seeds }) => [snake(name), literal(seeds.map(seedOf))]),
    ),
    "\n#: Names and messages of the program's errors by their code.\n",
    `ERRORS: Mapping[int, "tuple[str, str]"] = {\n${errors.map(({ code, name, message }) => `    ${code}: (${quoted(name[0].toUpperCase() + name.slice(1))}, ${quoted(message)}),\n`).join('')}}\n`,
  ].join('');
}

const table = (name, type, entries) =>
  `${name}: Mapping[str, ${type}] = {\n${entries.map(([key, text]) => `    ${quoted(key)}: ${text},\n`).join('')}}\n`;

function instructionText({ accounts, arguments: all, optionalAccountStrategy }) {
  const [discriminator, ...given] = all;
  const named = accounts.map(({ name, isWritable, isSigner, isOptional, defaultValue }) => {
    const address = defaultValue?.kind === 'publicKeyValueNode' ? defaultValue.publicKey : null;
    // One that may be missing altogether comes last.
    const optional = isOptional && optionalAccountStrategy === 'programId';
    return `Account(${[snake(name), isWritable, isSigner === true, optional, address].map(literal).join(', ')})`;
  });
  const types = Object.fromEntries(given.map(({ name, type }) => [snake(name), typeOf(type)]));
  return `Instruction(${discriminator.defaultValue.number}, [${named.join(', ')}], ${literal(types)})`;
}

const fieldsOf = ({ fields }) => Object.fromEntries(fields.map(({ name, type }) => [snake(name), typeOf(type)]));

/** @throws {Error} for a type that the Python side does not read */
function typeOf(type) {
  if (type.kind === 'numberTypeNode') return type.format;
  if (type.kind === 'publicKeyTypeNode') return 'pubkey';
  if (type.kind === 'booleanTypeNode') return 'bool';
  if (type.kind === 'fixedSizeTypeNode' && type.type.kind === 'bytesTypeNode') return `bytes:${type.size}`;
  if (type.kind === 'definedTypeLinkNode') return snake(type.name);
  if (type.kind === 'arrayTypeNode') return `${type.count.value}*${typeOf(type.item)}`;
  if (type.kind === 'remainderOptionTypeNode') return `?${typeOf(type.item)}`;
  throw new Error(`the Python package does not read ${type.kind}`);
}

const seedOf = (seed) => (seed.kind === 'constantPdaSeedNode' ? `"${seed.value.string}"` : typeOf(seed.type));
