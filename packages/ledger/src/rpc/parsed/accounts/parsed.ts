/** What a parser made of an account's data. */
export type Parsed = { readonly type: string; readonly info?: unknown };
