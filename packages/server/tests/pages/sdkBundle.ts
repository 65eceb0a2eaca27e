import { join } from 'node:path';
import { rolldown } from 'rolldown';

/** The SDK as somebody's page would have it: one module, nothing of Node's put in its place. */
export async function sdkBundle(): Promise<string> {
  const build = await rolldown({
    input: join(import.meta.dirname, 'sdkInPage.ts'),
    platform: 'browser',
    resolve: { conditionNames: ['legwork-source', 'browser', 'import'] },
    logLevel: 'silent',
  });
  const { output } = await build.generate({ format: 'esm', codeSplitting: false });
  await build.close();
  return output[0].code;
}
