/** A number that moves: when it changes it is marked briefly, green where it rose and red where it fell. */
import { useRef } from 'preact/hooks';

interface ValueProps {
  /** What is compared; undefined and null are no value. */
  readonly of: number | string | null | undefined;
  /** What is shown. */
  readonly children: string;
  readonly class?: string;
}

export function Value({ of, children, class: name = '' }: ValueProps) {
  const last = useRef({ of, direction: '', times: 0 });
  const before = last.current.of;
  if (of !== before) {
    const known = of !== undefined && of !== null && before !== undefined && before !== null;
    const direction = known ? (Number(of) > Number(before) ? 'rose' : 'fell') : '';
    last.current = { of, direction, times: last.current.times + 1 };
  }
  const { direction, times } = last.current;
  // Two names of one mark in turn: it begins anew, and the element stays, which spares the browser a new layout of the row.
  const mark = direction && `${direction}-${times % 2}`;
  return <span class={`value ${mark} ${name}`}>{children}</span>;
}

/** Colour and arrow of a change in percent: colour alone would say nothing to some. */
export function Change({ of, children }: { of: number | null | undefined; children: string }) {
  const direction = of ? (of > 0 ? 'up' : 'down') : 'quiet';
  return (
    <Value of={of} class={direction}>
      {children}
    </Value>
  );
}
