import { type DetailPage, PAGES, type PageName, pagePath } from '@legwork/protocol/contract';
import type { ComponentProps } from 'react';
import { Link } from 'wouter';
import { useNames } from '../data/names.js';
import { Key } from './Key.js';
import { Loaded } from './Loaded.js';
import { More } from './More.js';
import { Empty, Panel } from './Panel.js';
import { type Column, Table } from './Table.js';

interface Props<Row> {
  readonly list: ComponentProps<typeof Loaded<Row[]>>['query'] &
    ComponentProps<typeof More>['of'] & { readonly isPlaceholderData: boolean };
  /** What is listed, one of it. */
  readonly noun: string;
  readonly page: PageName;
  readonly opens: DetailPage;
  readonly columns: readonly Column<Row>[];
  readonly isFiltered: boolean;
}

/** What was posted, the newest first, page by page. */
export function Listing<Row extends { id: string }>({ list, noun, page, opens, columns, isFiltered }: Props<Row>) {
  return (
    <div data-stale={list.isPlaceholderData} aria-busy={list.isPlaceholderData}>
      <Panel title="Newest first">
        <Loaded query={list} rows={12}>
          {(rows) =>
            rows.length === 0 ? (
              <Empty>
                <p>{isFiltered ? `No ${noun} matches.` : `No ${noun} has been listed yet.`}</p>
                {isFiltered ? <Link href={PAGES[page]}>Show all</Link> : <Link href={PAGES.developers}>List one</Link>}
              </Empty>
            ) : (
              <Table
                caption={`All ${noun}s, newest first`}
                columns={columns}
                rows={rows}
                keyOf={({ id }) => id}
                pathOf={({ id }) => pagePath(opens, id)}
              />
            )
          }
        </Loaded>
        <More of={list} />
      </Panel>
    </div>
  );
}

/** Who posted it, by name where that is known. */
export function Poster({ of }: { of: string }) {
  return <Key value={of} page="agent" name={useNames().get(of)} />;
}
