import { type DetailPage, PAGES, type PageName, pagePath } from '@legwork/protocol/contract';
import type { ComponentProps } from 'react';
import { Link } from 'wouter';
import type { Kind } from '../data/legWords.js';
import { useNames } from '../data/names.js';
import { Key } from './Key.js';
import { Loaded } from './Loaded.js';
import { More } from './More.js';
import { Empty, Panel } from './Panel.js';
import { type Column, Table } from './Table.js';
import { t } from '../language.js';

interface Props<Row> {
  readonly list: ComponentProps<typeof Loaded<Row[]>>['query'] &
    ComponentProps<typeof More>['of'] & { readonly isPlaceholderData: boolean };
  /** What is listed, one of it. */
  readonly noun: Kind;
  readonly page: PageName;
  readonly opens: DetailPage;
  readonly columns: readonly Column<Row>[];
  readonly isFiltered: boolean;
}

/** What was posted, the newest first, page by page. */
export function Listing<Row extends { id: string }>({ list, noun, page, opens, columns, isFiltered }: Props<Row>) {
  return (
    <div data-stale={list.isPlaceholderData} aria-busy={list.isPlaceholderData}>
      <Panel title={t('Newest first')}>
        <Loaded query={list} rows={12}>
          {(rows) =>
            rows.length === 0 ? (
              <Empty>
                <p>
                  {isFiltered
                    ? t('{noun, select, package {No package matches.} other {No task matches.}}', { noun })
                    : t('No {noun, select, package {package} other {task}} has been listed yet.', { noun })}
                </p>
                {isFiltered ? (
                  <Link href={PAGES[page]}>{t('Show all')}</Link>
                ) : (
                  <Link href={PAGES.developers}>{t('List one')}</Link>
                )}
              </Empty>
            ) : (
              <Table
                caption={t('All {noun, select, package {packages} other {tasks}}, newest first', { noun })}
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
