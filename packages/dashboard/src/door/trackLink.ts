import { pagePath } from '@legwork/protocol/contract';

/** Addresses that lead to the machine itself, on every machine to another one. */
const isOwnMachine = (url: string): boolean => /^(localhost|127\..*|\[::1\])$/u.test(new URL(url).hostname);

/**
 * The link that a consignee gets. What stands behind its `#` is sent to nobody by a browser that opens it.
 *
 * @param serviceUrl where this browser has the service, without a slash at its end
 * @param publicUrl where others have it, as the service says
 */
export function trackLink(
  packageId: string,
  words: string,
  { serviceUrl, publicUrl }: { readonly serviceUrl: string; readonly publicUrl: string },
): { readonly link: string; readonly isOnlyHere: boolean } {
  const at = isOwnMachine(serviceUrl) ? publicUrl : serviceUrl;
  return { link: `${at}${pagePath('track', packageId)}#${words}`, isOnlyHere: isOwnMachine(at) };
}
