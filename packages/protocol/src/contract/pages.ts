/** The dashboard's pages: the service serves them at these paths, and the dashboard routes by them. */
export const PAGES = {
  overview: '/',
  packages: '/p',
  package: '/p/:packageId',
  tasks: '/t',
  task: '/t/:taskId',
  agents: '/a',
  agent: '/a/:pubkey',
  transaction: '/tx/:signature',
  account: '/account/:address',
  post: '/post',
  turns: '/me',
  rewards: '/rewards',
  developers: '/developers',
} as const;

export type PageName = keyof typeof PAGES;

/** The pages that show one thing, by the text that names it. */
export type DetailPage = {
  [Name in PageName]: (typeof PAGES)[Name] extends `${string}:${string}` ? Name : never;
}[PageName];

/**
 * The path of a page, without the prefix of the service's address.
 *
 * @param of what the page is about: an id, a key, a signature
 */
export function pagePath(name: DetailPage, of: string): string {
  return PAGES[name].replace(/:\w+/, encodeURIComponent(of));
}
