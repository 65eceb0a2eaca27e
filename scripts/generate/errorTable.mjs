const pascalCase = (name) => name[0].toUpperCase() + name.slice(1);
const quoted = (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** The program's errors as a table from code to name and message. */
export function errorTable(program) {
  const rows = program.errors.map(
    ({ name, code, message }) => `  ${code}: { name: ${quoted(pascalCase(name))}, message: ${quoted(message)} },`,
  );
  return [
    '/** Errors of the program by their custom error code. */',
    'export const RELAY_ERRORS = {',
    ...rows,
    '} as const;',
    '',
  ].join('\n');
}
