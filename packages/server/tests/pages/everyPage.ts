import { pagePath, PAGES, type PageName } from '@legwork/protocol/contract';
import type { DigitalTaskDetail, PackageDetail } from '@legwork/sdk';
import type { TestService } from '../support/service.js';
import { theFirst } from '../support/theFirst.js';
import { outlineFaults } from './reader.js';
import { barriers, open, overhang, type Visit } from './visit.js';

/** The subjects of the pages that show one thing. */
export interface Subjects {
  readonly parcel: PackageDetail;
  readonly task: DigitalTaskDetail;
}

/** The path of every page. */
function pathsOf({ parcel, task }: Subjects): Readonly<Record<PageName, string>> {
  const leg = theFirst(parcel.swarm?.legs ?? []);
  return {
    ...PAGES,
    package: pagePath('package', parcel.id),
    task: pagePath('task', task.id),
    agent: pagePath('agent', leg.agentPubkey),
    transaction: pagePath('transaction', leg.confirmSignature ?? ''),
    track: pagePath('track', parcel.id),
    account: pagePath('account', parcel.onChainPackage),
  };
}

/** These two show what the ledger says, so they ask it without being told to. */
const OF_LEDGER: readonly string[] = ['transaction', 'account'] satisfies PageName[];

/**
 * Looks at every page. What a page must not do, in a line each: have the browser complain, speak to anybody but the service, stand
 * beside the window, or keep people out as axe or a screen reader's tree tells.
 */
export async function faultsOfEveryPage(
  visitor: Visit,
  { server, ledger }: TestService,
  subjects: Subjects,
): Promise<string[]> {
  const { page, context, hosts, complaints } = visitor;
  const session = await context.newCDPSession(page);
  const faults: string[] = [];
  for (const [name, path] of Object.entries(pathsOf(subjects))) {
    hosts.clear();
    await open(visitor, server.url + path);
    const beside = await overhang(page);
    const found = [...(await barriers(page)), ...(await outlineFaults(page, session)), ...complaints.splice(0)];
    if (beside > 0) found.push(`${beside} pixels stand beside the window`);
    const allowed = [server.url, ...(OF_LEDGER.includes(name) ? [ledger.rpcUrl] : [])].map((url) => new URL(url).host);
    found.push(...[...hosts].filter((host) => !allowed.includes(host)).map((host) => `speaks to ${host}`));
    faults.push(...found.map((fault) => `${name}: ${fault}`));
  }
  return faults;
}
