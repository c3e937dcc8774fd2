/** A few figures in a line, each with its name. */
import * as format from '../format.ts';
import { Change, Value } from './value.tsx';

export interface Figure {
  readonly title: string;
  readonly of: number | string | null | undefined;
  /** What is shown where there is a figure. */
  readonly text: string;
  /** Of the last day, in percent. */
  readonly change?: number | undefined;
}

export function Figures({ figures }: { figures: readonly Figure[] }) {
  return (
    <dl class="figures">
      {figures.map(({ title, of, text, change }) => (
        <div>
          <dt>{title}</dt>
          <dd>
            <Value of={of}>{of === undefined || of === null ? format.NONE : text}</Value>
            {change !== undefined && <Change of={change}>{format.change(change)}</Change>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** An amount of XRP in the chosen currency, with its sign. */
export const inUnit = (xrp: number | undefined): string =>
  `${format.amount(format.inCurrency(xrp))} ${format.unit()}`;
