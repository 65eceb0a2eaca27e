import { createHash } from 'node:crypto';
import { LegworkError, packageDocument, taskDocument } from '@legwork/protocol/contract';
import { canonicalJson } from '@legwork/protocol/rules';
import { z } from 'zod';
import type { AppContext } from '../context.js';
import type { Trx } from '../db/connect.js';
import { isPackage, type ListingRow, packageSubject, taskSubject } from '../db/listings.js';
import { inTransaction } from '../db/transaction.js';
import { lockListing } from '../legs/moveRows.js';
import type { In, Out } from '../operations/run.js';
import { sealedPackage } from '../packages/packageRows.js';
import { personal } from '../db/sealing.js';
import { sealedTask } from '../tasks/taskRows.js';

/** Takes the document of a listing that was rebuilt from the ledger, from anybody: its hash proves it. Rule S-259. */
export async function givePapers({ db }: AppContext, input: In<'givePapers'>): Out<'givePapers'> {
  const { listingId, document } = input;
  const isNew = await inTransaction(db, async (trx) => {
    const listing =
      (await lockListing(trx, packageSubject(listingId))) ?? (await lockListing(trx, taskSubject(listingId)));
    if (listing === undefined || listing.status === 'draft') {
      throw LegworkError.field('not_found', 'listingId', 'names no package and no digital task');
    }
    if (createHash('sha256').update(document).digest('hex') !== listing.terms_hash) {
      const wanted = `the ledger has ${listing.terms_hash} of this listing`;
      throw LegworkError.field(
        'invalid_input',
        'document',
        `has another hash: ${wanted}; give the bytes that were signed for`,
      );
    }
    if (listing.erased_at !== null) {
      throw LegworkError.field('invalid_status', 'listingId', 'names a listing whose personal data was erased');
    }
    if (listing.document_known) return false;
    await know(trx, listing, document);
    return true;
  });
  return { answer: { listingId, isNew } };
}

/** Writes what the document says into the rows of its listing. */
async function know(trx: Trx, listing: ListingRow, document: string): Promise<void> {
  if (isPackage(listing)) {
    const said = read(packageDocument, document);
    const columns = sealedPackage({
      origin_lat: said.origin.lat,
      origin_lng: said.origin.lng,
      dest_lat: said.destination.lat,
      dest_lng: said.destination.lng,
      description: said.description,
      salt: said.salt ?? null,
    });
    const hashes = said.private && { pickup: said.private.pickup ?? null, dropoff: said.private.dropoff ?? null };
    await trx
      .updateTable('packages')
      .set({
        ...columns,
        weight_kg: said.weightKg,
        volume_litres: said.volumeLitres,
        requirements: said.requirements ? JSON.stringify(said.requirements) : null,
        private_hashes: hashes ? JSON.stringify(hashes) : null,
        document_known: true,
      })
      .where('id', '=', listing.id)
      .execute();
    return;
  }
  const { title, description, instructions, ...said } = read(taskDocument, document);
  if (instructions.length !== listing.num_legs) throw unreadable(`it has ${instructions.length} instructions`);
  for (const [index, instruction] of instructions.entries()) {
    await trx
      .updateTable('digital_legs')
      .set({ instruction: personal(instruction) })
      .where('task_id', '=', listing.id)
      .where('leg_index', '=', index)
      .execute();
  }
  await trx
    .updateTable('digital_tasks')
    .set({
      ...sealedTask({ title, description, salt: said.salt ?? null }),
      requirements: said.requirements ? JSON.stringify(said.requirements) : null,
      document_known: true,
    })
    .where('id', '=', listing.id)
    .execute();
}

/** Parses a document; a lister past a service can sign for the hash of anything. */
function read<Schema extends z.ZodType>(schema: Schema, document: string): z.output<Schema> {
  let json: unknown;
  try {
    json = JSON.parse(document);
  } catch {
    throw unreadable('it is no JSON');
  }
  const { data, error } = schema.safeParse(json);
  if (error) throw unreadable(z.prettifyError(error));
  if (canonicalJson(json as object) !== document) throw unreadable('its JSON is not canonical');
  return data;
}

const unreadable = (why: string) =>
  LegworkError.field('invalid_input', 'document', `has the hash of the listing, and cannot be shown: ${why}`);
