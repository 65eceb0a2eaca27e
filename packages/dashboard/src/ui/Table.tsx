import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import styles from './Table.module.css';

/** A column of a table. */
export interface Column<Row> {
  readonly name: string;
  readonly show: (row: Row) => ReactNode;
  /** Figures stand at the right. */
  readonly isFigure?: boolean;
  /** On a phone a row is two lines: the first holds these, the second the others. */
  readonly isFirst?: boolean;
  /** Not on a phone. */
  readonly isWide?: boolean;
}

interface Props<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** The path a row opens; its first cell should hold the same link, for keyboards. */
  readonly pathOf?: (row: Row) => string;
}

/** Rows of one kind; sorting and paging are the service's. On a phone a row takes two lines. */
export function Table<Row>({ caption, columns, rows, keyOf, pathOf }: Props<Row>) {
  const [, go] = useLocation();
  return (
    <div className={styles.scroll} role="region" aria-label={caption} tabIndex={0}>
      <table className={styles.table}>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col" className={classOf(column)}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              data-opens={pathOf !== undefined}
              onClick={(event) => {
                const isLink = (event.target as Element).closest('a, button') !== null;
                if (pathOf && !isLink && getSelection()?.isCollapsed !== false) go(pathOf(row));
              }}
            >
              {columns.map((column) => (
                <td key={column.name} className={classOf(column)} data-name={column.name}>
                  {column.show(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function classOf<Row>({ isFigure, isFirst, isWide }: Column<Row>): string {
  return [isFigure && styles.figure, isFirst && styles.first, isWide && styles.wide].filter(Boolean).join(' ');
}
