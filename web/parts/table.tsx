/** A table of a few rows, described by the same columns as a list of thousands. */
import { Scroller } from './scroller.tsx';
import type { Column } from './virtual-table.tsx';

interface TableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  keyOf(row: Row): string;
  /** What is said where there is none; not said while `loading`. */
  readonly empty: string;
  readonly loading: boolean;
  /** As high as its rows. Default: a box of its own height, in which they scroll. */
  readonly isFlat?: boolean;
}

export function Table<Row>({ label, columns, rows, keyOf, empty, loading, isFlat = false }: TableProps<Row>) {
  return (
    <Scroller label={label} isFlat={isFlat}>
      <table aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ key, title, number, wide, width }) => (
              <th
                scope="col"
                class={`${number ? 'number ' : ''}${wide ? 'wide ' : ''}column-${key}`}
                style={width === undefined ? {} : { '--width': width }}
              >
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={keyOf(row)}>
              {columns.map(({ key, number, wide, cell }) => (
                <td class={`${number ? 'number ' : ''}${wide ? 'wide ' : ''}column-${key}`}>
                  {cell(row, index)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length === 0 && !loading && <p class="empty">{empty}</p>}
    </Scroller>
  );
}
