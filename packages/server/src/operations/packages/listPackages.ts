import { parsePlace, type operations } from '@legwork/protocol/contract';
import { readNotFinal } from '../../db/finality.js';
import { countPackages, pageOfPackages } from '../../db/packages.js';
import { packageSubject } from '../../db/subjects.js';
import { cutPage, idPosition, readCursor } from '../cursor.js';
import type { Run } from '../run.js';
import { viewPackage } from './view.js';

/** The default radius of `near`, in kilometres. */
const DEFAULT_RADIUS_KM = 25;

export const listPackages: Run<typeof operations.listPackages> = async ({ db }, input) => {
  const { status, shipper, near, radiusKm = DEFAULT_RADIUS_KM, limit, cursor } = input;
  const around = near === undefined ? undefined : { center: parsePlace(near), radiusKm };
  const filter = { status, shipper, near: around };
  const [before] = readCursor(idPosition, cursor) ?? [];
  const rows = await pageOfPackages(db, filter, { before, limit: limit + 1 });
  const { page, nextCursor } = cutPage(rows, limit, (row) => [row.id]);
  const notFinal = await readNotFinal(
    db,
    page.map(({ id }) => packageSubject(id)),
  );
  return {
    answer: page.map((row) => viewPackage(row, notFinal)),
    nextCursor,
    total: () => countPackages(db, filter),
  };
};
