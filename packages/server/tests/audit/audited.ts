import { beforeAll, expect, test } from 'vitest';
import type { LedgerFacts } from '@legwork/program-client/facts';
import { type TestService, withService } from '../support/service.js';
import { untilQuiet } from '../support/snapshot.js';
import { accountsSay, factsOf, mirrorSays } from './readings.js';
import { saveMirror } from './scene.js';
import type { Tampering } from './tampering.js';

/** A scene that was played on a service, which has stopped since: nothing moves any more. */
export interface Audited<Scene> {
  readonly service: TestService;
  readonly scene: Scene;
  /** The facts of the ledger, in a copy that a test can change. */
  readonly facts: () => Promise<LedgerFacts>;
}

/** Plays the scene for the tests of the current file; it is there once they run. */
export function withAudited<Scene>(play: (service: TestService) => Promise<Scene>): Audited<Scene> {
  const service = withService();
  let played: { scene: Scene } | undefined;
  let facts: Promise<LedgerFacts> | undefined;
  beforeAll(async () => {
    played = { scene: await play(service.current) };
    await untilQuiet(service.current);
    await service.current.stop();
    await saveMirror(service.current);
  });
  return {
    get service() {
      return service.current;
    },
    get scene() {
      if (!played) throw new Error('The scene is there only while tests run.');
      return played.scene;
    },
    async facts() {
      facts ??= factsOf(service.current);
      return structuredClone(await facts);
    },
  };
}

/** The findings about the database after the statement, which is then taken back. */
async function saidAfter<Scene>(
  { service, scene, facts }: Audited<Scene>,
  { statement }: Pick<Tampering<Scene>, 'statement'>,
  say: typeof mirrorSays,
): Promise<string> {
  const trx = await service.db.startTransaction().execute();
  try {
    const { numAffectedRows } = await statement(scene).execute(trx);
    expect(numAffectedRows).toBeGreaterThan(0n);
    return await say(trx, await facts());
  } finally {
    await trx.rollback().execute();
  }
}

/** Tests that each tampering is told of as it says. */
export function testTamperings<Scene>(
  audited: Audited<Scene>,
  tamperings: readonly Tampering<Scene>[],
  say: typeof mirrorSays = mirrorSays,
): void {
  test.each(tamperings)('tells of $what', async (tampering) => {
    expect(await saidAfter(audited, tampering, say)).toMatch(tampering.says(audited.scene));
  });
}

/** Tests that nothing is said of what the ledger does not know. */
export function testSilence<Scene>(
  audited: Audited<Scene>,
  changes: readonly Pick<Tampering<Scene>, 'what' | 'statement'>[],
): void {
  test.each(changes)('says nothing of $what', async (change) => {
    expect(await saidAfter(audited, change, mirrorSays)).toBe('');
  });
}

/** A change in the facts that the ledger's transactions give. */
export type FactsChange = (facts: LedgerFacts) => void;

/** Tests what the ledger's accounts say of the facts as they are, and of facts that were changed. */
export function testAccounts<Scene>(
  audited: Audited<Scene>,
  changes: readonly (readonly [what: string, change: FactsChange, says: RegExp])[],
): void {
  test('says nothing of facts that they bear out', async () => {
    expect(await accountsSay(audited.service, await audited.facts())).toBe('');
  });

  test.each(changes)('tells of %s', async (_, change, says) => {
    const facts = await audited.facts();
    change(facts);
    expect(await accountsSay(audited.service, facts)).toMatch(says);
  });
}
