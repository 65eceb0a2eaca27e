/** What a check in this browser found. */
export type Outcome =
  | { readonly holds: true /** What was seen, such as `slot 397`. */; readonly seen?: string }
  | { readonly holds: false /** The first difference, in a sentence. */; readonly difference: string };
