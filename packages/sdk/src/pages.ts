/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Give it as `cursor` to get the next page; undefined: this was the last one. */
  readonly nextCursor: string | undefined;
}

const LINK = /<([^>]*)>\s*((?:;\s*[^,;]+)*)/g;

/** The cursor of the `rel="next"` link of a Link header (RFC 8288), or undefined when there is none. */
export function nextCursorOf(linkHeader: string | null): string | undefined {
  for (const [, target = '', parameters = ''] of (linkHeader ?? '').matchAll(LINK)) {
    if (/;\s*rel="?(?:[^"]*\s)?next(?:\s[^"]*)?"?(?:;|\s|$)/i.test(parameters)) {
      // The link may be relative; only its query matters.
      return new URL(target, 'http://localhost').searchParams.get('cursor') ?? undefined;
    }
  }
  return undefined;
}

/**
 * Walks a list page by page: `for await (const item of everyItem(client.listPackages, { status: 'listed' }))`.
 *
 * @param list a paged call of the client
 * @param input its input; a `cursor` in it is where the walk begins
 */
export async function* everyItem<Item, Input extends { cursor?: string | undefined } | undefined>(
  list: (input: Input) => Promise<Page<Item>>,
  // What a list takes is its own to say: of the methods of a client the input may be left out.
  input: NoInfer<NonNullable<Input>>,
): AsyncGenerator<Item, void, undefined> {
  let cursor = input.cursor;
  do {
    const page: Page<Item> = await list(cursor === undefined ? input : { ...input, cursor });
    yield* page.items;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}
