import { createLegworkClient, type LegworkApiError, type Page, type LegworkClient } from '@legwork/sdk';
import { keepPreviousData, QueryClient, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { isSlowedDown, USUAL_REST_SEC } from './faultWords.js';
import { serviceUrl, shell } from './shell.js';

/** Calls have no patience of their own: the page says that it was refused for asking too often, and asks again when it is time. */
export const service: LegworkClient = createLegworkClient({ url: serviceUrl, timeoutMs: 20_000, patienceMs: 0 });

type Reads = {
  [Name in keyof LegworkClient]: LegworkClient[Name] extends (...args: never[]) => Promise<unknown> ? Name : never;
}[keyof LegworkClient];
type Read = Exclude<Reads, 'url'>;
export type Input<Name extends Read> = NonNullable<Parameters<LegworkClient[Name]>[0]>;
type Answer<Name extends Read> = Awaited<ReturnType<LegworkClient[Name]>>;
type Call<Name extends Read> = (input: Input<Name>, options: { signal: AbortSignal }) => Promise<Answer<Name>>;

/** The key that an answer of the service is kept under; a shorter one names all answers of an operation. */
export function keyOf<Name extends Read>(name: Name, input?: Input<Name>): readonly unknown[] {
  return input === undefined ? [name] : [name, input];
}

let restingUntil = 0;

/** Until when the service wants to be left alone, milliseconds of the clock; past: it does not. */
export const restsUntil = (): number => restingUntil;

/** Waits as long as the service says, and a little longer, so that not all come back at once. */
function rest({ retryAfterSec = USUAL_REST_SEC }: LegworkApiError): number {
  const wait = retryAfterSec * 1_000 * (1 + Math.random() / 5);
  restingUntil = Math.max(restingUntil, Date.now() + wait);
  return wait;
}

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // A service on this machine answers without a network.
      networkMode: 'always',
      // What changes is told by events; without them nothing is asked twice.
      staleTime: 60_000,
      refetchOnWindowFocus: false,
      // The client has tried again already where no answer came; what failed is asked again when the stream is back.
      retry: (failures, error) => isSlowedDown(error) && failures < 5,
      retryDelay: (_, error) => (isSlowedDown(error) ? rest(error) : 0),
    },
  },
});

if (shell !== undefined) {
  queries.setQueryData(keyOf('getConfig'), shell.config);
  queries.setQueryData(keyOf('getStats'), shell.stats);
}

/** An answer of the service, kept current by events. @param input undefined: nothing is asked yet */
export function useRead<Name extends Read>(name: Name, input?: Input<Name> | 'nothing') {
  const call = service[name] as unknown as Call<Name>;
  const given = input === 'nothing' ? undefined : input;
  return useQuery({
    queryKey: keyOf(name, given),
    queryFn: ({ signal }) => call((given ?? {}) as Input<Name>, { signal }),
    enabled: input !== 'nothing',
  });
}

type Listed = { [Name in Read]: Answer<Name> extends Page<unknown> ? Name : never }[Read];
type ItemOf<Name extends Listed> = Answer<Name> extends Page<infer Item> ? Item : never;

/** A list of the service, page by page. While the filters change, what was shown before stays. */
export function useList<Name extends Listed>(name: Name, input: Input<Name>) {
  const call = service[name] as unknown as Call<Name>;
  return useInfiniteQuery({
    queryKey: keyOf(name, input),
    queryFn: ({ pageParam, signal }) =>
      call({ ...input, ...(pageParam !== undefined && { cursor: pageParam }) }, { signal }) as Promise<
        Page<ItemOf<Name>>
      >,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.nextCursor,
    select: ({ pages }) => pages.flatMap(({ items }) => items),
    placeholderData: keepPreviousData,
  });
}
