import { LegworkApiError } from '@legwork/sdk';

/** The caller's view of a refusal. */
export interface Refusal {
  status: number;
  code: string;
  fields: string[];
  message: string;
}

/** The refusal of a call; throws when it was not refused. */
export async function refusalOf(call: Promise<unknown>): Promise<Refusal> {
  const error: unknown = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof LegworkApiError)) throw new Error(`no refusal but ${String(error)}`);
  const { status, code, message } = error;
  return { status, code, message, fields: error.errors.map(({ field }) => field) };
}
