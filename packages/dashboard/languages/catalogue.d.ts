/** What a page says in another language, as the build compiles it. */
declare module 'messages:*' {
  const catalogue: Readonly<Record<string, string | readonly never[]>>;
  export default catalogue;
}
