import { during, element, instant, reveal, sol } from './page.js';
import { paymentOf } from './payment.js';
import { type Claim, type ClaimPage, listClaims } from './service.js';

/** Shows the ranked claims, a page at a time. @returns begins again, with what is registered now */
export function startListing(): () => void {
  const more = element('more', HTMLButtonElement);
  const rows = element('claims', HTMLTableSectionElement);
  let next: URL | undefined;
  const load = (from: URL | undefined) => {
    void during(more, { waiting: 'Loading claims.', problemId: 'list-problem' }, async () => {
      const page = await listClaims(from);
      if (from === undefined) rows.replaceChildren();
      append(rows, page);
      next = page.next;
    });
  };
  more.addEventListener('click', () => load(next));
  load(undefined);
  return () => load(undefined);
}

function append(rows: HTMLTableSectionElement, { claims, next }: ClaimPage): void {
  const before = rows.rows.length;
  rows.append(...claims.map((claim, index) => rowOf(before + index + 1, claim)));
  reveal(rows.rows.length > 0, 'claims-table');
  reveal(rows.rows.length === 0, 'no-claims');
  reveal(next !== undefined, 'more');
}

function rowOf(rank: number, claim: Claim): HTMLTableRowElement {
  const row = document.createElement('tr');
  for (const text of [String(rank), claim.devnetPubkey, sol(claim.devnetEarningsLamports), instant(claim.claimedAt)]) {
    row.insertCell().textContent = text;
  }
  row.insertCell().append(paymentOf(claim));
  return row;
}
