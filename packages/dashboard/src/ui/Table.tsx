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
  /** Not on a phone or a small tablet. */
  readonly isWide?: boolean;
}

interface Props<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** The path a row opens; its first cell should hold the same link, for keyboards. */
  readonly pathOf?: (row: Row) => string;
  /** The key of the row that stands out. */
  readonly selected?: string | undefined;
  /** A click or the focus on a row selects it, in place of opening it. */
  readonly onSelect?: (key: string) => void;
}

/** Rows of one kind; sorting and paging are the service's. On a phone a row takes two lines. */
export function Table<Row>({ caption, columns, rows, keyOf, pathOf, selected, onSelect }: Props<Row>) {
  const [, go] = useLocation();
  const press = (row: Row, target: EventTarget) => {
    if ((target as Element).closest('a, button') !== null || getSelection()?.isCollapsed === false) return;
    if (onSelect) onSelect(keyOf(row));
    else if (pathOf) go(pathOf(row));
  };
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
              data-opens={pathOf !== undefined || onSelect !== undefined}
              aria-current={selected === keyOf(row) || undefined}
              onClick={({ target }) => press(row, target)}
              onFocus={() => onSelect?.(keyOf(row))}
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
