import { isUuid, RelayError, type operations } from '@agent-relay/protocol';
import { pageOfPackages } from '../../db/packages.js';
import type { Run } from '../implement.js';
import { viewPackage } from '../views.js';

/** The cursor is opaque to clients: the id of the last package of the page, in base64url. */
function decodeCursor(cursor: string): string {
  const id = Buffer.from(cursor, 'base64url').toString();
  if (!isUuid(id)) {
    throw RelayError.field(
      'invalid_input',
      'cursor',
      'is not a cursor of this list; take it from the Link header of the page before',
    );
  }
  return id;
}

export const listPackages: Run<typeof operations.listPackages> = async (context, input) => {
  const rows = await pageOfPackages(context.db, {
    status: input.status,
    shipper: input.shipper,
    before: input.cursor === undefined ? undefined : decodeCursor(input.cursor),
    limit: input.limit + 1,
  });
  const page = rows.slice(0, input.limit);
  const last = page.at(-1);
  return {
    answer: page.map(viewPackage),
    nextCursor: rows.length > page.length && last ? Buffer.from(last.id).toString('base64url') : undefined,
  };
};
