import { join } from 'node:path';
import { rolldown } from 'rolldown';

/**
 * The SDK as somebody's page would have it: one module, nothing of Node's put in its place.
 *
 * @param input another module that runs in a page
 */
export async function sdkBundle(input = join(import.meta.dirname, 'sdkInPage.ts')): Promise<string> {
  const build = await rolldown({
    input,
    platform: 'browser',
    resolve: { conditionNames: ['legwork-source', 'browser', 'import'] },
    logLevel: 'silent',
  });
  const { output } = await build.generate({ format: 'esm', codeSplitting: false });
  await build.close();
  return output[0].code;
}
