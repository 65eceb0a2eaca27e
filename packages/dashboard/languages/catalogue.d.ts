/** What a page says in another language, as the build compiles it. */
declare module 'messages:*' {
  type Compiled = string | readonly never[];
  export const catalogue: Readonly<Record<string, Compiled>>;
  /** Sentences that other packages put together, by what finds their values. */
  export const told: readonly (readonly [pattern: RegExp, compiled: Compiled])[];
}
