/** A number that moves: when it changes it is marked briefly, green where it rose and red where it fell. */
import { createContext } from 'preact';
import { useContext, useRef } from 'preact/hooks';

/** What the row around a number is of: another one's number is no change. */
export const ShownOf = createContext<string | undefined>(undefined);

interface ValueProps {
  /** What is compared; undefined and null are no value. */
  readonly of: number | string | null | undefined;
  /** What is shown. */
  readonly children: string;
  readonly class?: string;
}

export function Value({ of, children, class: name = '' }: ValueProps) {
  const shownOf = useContext(ShownOf);
  const last = useRef({ shownOf, of, direction: '', times: 0 });
  const before = last.current.of;
  if (shownOf !== last.current.shownOf) last.current = { shownOf, of, direction: '', times: 0 };
  else if (of !== before) {
    const known = of !== undefined && of !== null && before !== undefined && before !== null;
    const direction = known ? (Number(of) > Number(before) ? 'rose' : 'fell') : '';
    last.current = { shownOf, of, direction, times: last.current.times + 1 };
  }
  const { direction, times } = last.current;
  // Two names of one mark in turn: it begins again, and the element stays, which spares the browser a new layout of the row.
  const mark = direction && `${direction}-${times % 2}`;
  return <span class={`value ${mark} ${name}`}>{children}</span>;
}

/** Colour and arrow of a change in percent: colour alone would say nothing to some. */
export function Change({ of, children }: { of: number | null | undefined; children: string }) {
  const direction = of && !/^0\.0*%$/.test(children) ? (of > 0 ? 'up' : 'down') : 'quiet';
  return (
    <Value of={of} class={direction}>
      {children}
    </Value>
  );
}
