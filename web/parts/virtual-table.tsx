/**
 * A table of any number of rows, of which only those on the screen exist. Rows have one height, so that where a row lies is
 * a multiplication, and nothing moves when rows come late: a row that is not there yet is an empty one.
 *
 * It is a real table: with header cells that sort, row numbers for screen readers, and a box that scrolls by keyboard. Its
 * rows are laid out as grids with fixed columns, not as a table: there, one changed number would lay out all cells again.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { left } from '../router.ts';
import { ShownOf } from './value.tsx';

export interface Column<Row> {
  readonly key: string;
  readonly title: string;
  /** Numbers are aligned at their right end. */
  readonly number?: boolean;
  /** Name of the sort that a click on the header chooses. */
  readonly sort?: string;
  /** Left out on narrow screens. */
  readonly wide?: boolean;
  /** In px or percent; those without share what is left. */
  readonly width?: string;
  /** The same on narrow screens. */
  readonly narrow?: string;
  cell(row: Row, index: number): ComponentChildren;
}

export interface Sort {
  readonly by: string;
  readonly order: 'asc' | 'desc';
}

interface VirtualTableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly total: number;
  /** undefined: not there yet. */
  rowAt(index: number): Row | undefined;
  keyOf(row: Row): string;
  /** Rows that are drawn now, the last one included. */
  onRange?(first: number, last: number): void;
  readonly sort?: Sort;
  onSort?(sort: Sort): void;
  /** CSS pixels. */
  readonly rowHeight?: number;
  /** Changes when the rows are others: the box scrolls to its top. */
  readonly of?: string;
}

/** Rows drawn above and below the screen, so that scrolling finds them there. */
const BEYOND = 4;
const ROW_HEIGHT = 44;

export function VirtualTable<Row>(props: VirtualTableProps<Row>) {
  const { columns, total, label, rowAt, keyOf, rowHeight = ROW_HEIGHT, onRange } = props;
  const box = useRef<HTMLElement>(null);
  const { first, last } = useRange(box, total, rowHeight, label);
  useEffect(() => onRange?.(first, last), [first, last, total, props.of]);
  // Where the reader was, once there are rows.
  useEffect(() => box.current?.scrollTo(0, left.topOf(label)), [props.of, total > 0]);
  const rows = [];
  for (let index = first; index <= last; index++) {
    const row = rowAt(index);
    // By its place: where the order changes, texts do; moving the rows would lay out the whole table again.
    rows.push(
      <ShownOf.Provider key={index} value={row ? keyOf(row) : undefined}>
        <TableRow columns={columns} row={row} index={index} />
      </ShownOf.Provider>,
    );
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section class="virtual" ref={box} tabIndex={0} aria-label={label}>
      <table aria-label={label} aria-rowcount={total + 1} style={tracksOf(columns, rowHeight)}>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <HeaderCell column={column} sort={props.sort} onSort={props.onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer height={first * rowHeight} />
          {rows}
          <Spacer height={(total - 1 - last) * rowHeight} />
        </tbody>
      </table>
    </section>
  );
}

interface TableRowProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly row: Row | undefined;
  readonly index: number;
}

function TableRow<Row>({ columns, row, index }: TableRowProps<Row>) {
  return (
    <tr aria-rowindex={index + 2}>
      {columns.map((column) => (
        <td class={classOf(column)}>{row ? column.cell(row, index) : ''}</td>
      ))}
    </tr>
  );
}

const classOf = <Row,>({ number, wide, key }: Column<Row>) =>
  `${number ? 'number ' : ''}${wide ? 'wide ' : ''}column-${key}`;

/** Narrower, a column would cut its numbers or its title; CSS pixels. On narrow screens there is less between columns. */
const COLUMN_LEAST = '100px';
const NARROW_COLUMN_LEAST = '93px';

/** CSS pixels in which columns of these widths have room. */
function leastWidth(widths: readonly string[]): number {
  let [pixels, percent] = [0, 0];
  for (const width of widths) {
    if (width.endsWith('%')) percent += Number.parseFloat(width);
    else pixels += Number.parseFloat(width);
  }
  return Math.ceil(pixels / (1 - percent / 100));
}

/** Sizes of columns and rows, for the style sheet: on wide and on narrow screens, where some columns are left out. */
function tracksOf<Row>(columns: readonly Column<Row>[], rowHeight: number) {
  const track = (width: string | undefined) => width ?? 'minmax(0, 1fr)';
  const narrow = columns.filter(({ wide }) => !wide);
  return {
    '--tracks': columns.map(({ width }) => track(width)).join(' '),
    '--narrow-tracks': narrow.map((column) => track(column.narrow ?? column.width)).join(' '),
    '--least-width': `${leastWidth(columns.map(({ width = COLUMN_LEAST }) => width))}px`,
    '--narrow-least-width': `${leastWidth(narrow.map((column) => column.narrow ?? column.width ?? NARROW_COLUMN_LEAST))}px`,
    '--row-height': `${rowHeight}px`,
  };
}

/** The room of the rows that are not drawn. */
function Spacer({ height }: { height: number }) {
  return height > 0 ? (
    <tr class="spacer">
      <td style={{ height: `${height}px` }} />
    </tr>
  ) : null;
}

interface HeaderCellProps<Row> {
  readonly column: Column<Row>;
  readonly sort: Sort | undefined;
  readonly onSort: ((sort: Sort) => void) | undefined;
}

/** A header that sorts is a button; the first click sorts the largest first. */
function HeaderCell<Row>({ column, sort, onSort }: HeaderCellProps<Row>) {
  const { title } = column;
  const chosen = sort !== undefined && sort.by === column.sort;
  const order = chosen && sort.order === 'desc' ? 'asc' : 'desc';
  const by = column.sort;
  return (
    <th
      scope="col"
      class={classOf(column)}
      aria-sort={chosen ? (sort.order === 'desc' ? 'descending' : 'ascending') : undefined}
    >
      {by !== undefined && onSort ? (
        <button type="button" class="sorter" onClick={() => onSort({ by, order })}>
          {title}
          <span aria-hidden="true">{chosen ? (sort.order === 'desc' ? ' ▾' : ' ▴') : ''}</span>
        </button>
      ) : (
        title
      )}
    </th>
  );
}

/** The rows that the box shows, and a few beyond; kept as it is scrolled and resized. */
function useRange(box: { current: HTMLElement | null }, total: number, rowHeight: number, label: string) {
  const [range, setRange] = useState({ first: 0, last: Math.min(total, 30) - 1 });
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => {
      const top = Math.floor(element.scrollTop / rowHeight);
      const first = Math.max(0, top - BEYOND);
      const last = Math.min(total - 1, top + Math.ceil(element.clientHeight / rowHeight) + BEYOND);
      setRange((before) => (before.first === first && before.last === last ? before : { first, last }));
    };
    const scrolled = () => {
      if (total > 0) left.remember(label, element.scrollTop);
      measure();
    };
    measure();
    const resized = new ResizeObserver(measure);
    resized.observe(element);
    element.addEventListener('scroll', scrolled, { passive: true });
    return () => {
      resized.disconnect();
      element.removeEventListener('scroll', scrolled);
    };
  }, [box, total, rowHeight, label]);
  return { first: Math.min(range.first, Math.max(0, total - 1)), last: Math.min(range.last, total - 1) };
}
