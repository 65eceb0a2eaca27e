// The Python package's generated half, from the same contracts as the TypeScript SDK: the service's operations and the program's IDL.
import { errorCodes, pythonModels } from './pythonModels.mjs';
import { pythonClient } from './pythonClient.mjs';
import { pythonProgram } from './pythonProgram.mjs';

/**
 * @param {object} program the root of the IDL
 * @returns {Promise<Map<string, string>>} text by the path in `python/src/legwork/_generated`
 */
export async function renderPython(program) {
  // What was compiled: `npm run generate` builds first.
  const { openApiDocument } = await import('../../packages/server/dist/http/openApi.js');
  const { ERROR_HINTS, operations } = await import('../../packages/protocol/dist/contract/index.js');
  const { paths, components } = openApiDocument({ publicUrl: '', version: '' });
  const models = pythonModels(components.schemas);
  const files = new Map([
    ['__init__.py', `${HEAD}\n`],
    ['client.py', HEAD + pythonClient(operations, described(paths), models)],
    ['program.py', HEAD + pythonProgram(program)],
  ]);
  // Last, because the client names some of them.
  files.set('models.py', HEAD + models.render() + errorCodes(components.schemas.Problem, ERROR_HINTS));
  return files;
}

const HEAD = '"""Made by `npm run generate` from the contracts of the service. Do not edit."""\n';

/** Operations of the OpenAPI description, by name. */
function described(paths) {
  const found = Object.values(paths).flatMap((methods) => Object.values(methods));
  return new Map(found.map((operation) => [operation.operationId, operation]));
}
