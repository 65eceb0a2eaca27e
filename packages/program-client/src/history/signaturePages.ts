import { address, type GetSignaturesForAddressApi, type Signature, signature as toSignature } from '@solana/kit';
import { ask, type ReadLedger } from './ask.js';

const PAGE = 1000;

type Page = ReturnType<GetSignaturesForAddressApi['getSignaturesForAddress']>;

/**
 * The confirmed transactions that name the account, newest first, a page at a time.
 *
 * @param until those from this one on are left out; undefined: none are
 * @param request how each page is asked for: once, unless told
 */
export async function* signaturePages(
  { rpc }: Pick<ReadLedger, 'rpc'>,
  account: string,
  until?: string,
  request: (page: () => Promise<Page>) => Promise<Page> = (page) => page(),
): AsyncGenerator<Page, void> {
  let before: Signature | undefined;
  for (;;) {
    const options = {
      commitment: 'confirmed',
      limit: PAGE,
      ...(before !== undefined && { before }),
      ...(until !== undefined && { until: toSignature(until) }),
    } as const;
    const page = await request(() => ask(rpc.getSignaturesForAddress(address(account), options)));
    yield page;
    before = page.at(-1)?.signature;
    if (page.length < PAGE || before === undefined) return;
  }
}
