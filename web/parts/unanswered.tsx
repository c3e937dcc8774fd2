/** What stands in the place of an answer that is not there: the service's own words, or room for it. */
import type { Shown } from '../net/use-repeated.ts';

interface Props {
  readonly shown: Pick<Shown<unknown>, 'failure'>;
  /** 'This transaction' */
  readonly what: string;
}

export function Unanswered({ shown: { failure }, what }: Props) {
  if (!failure) return <div class="loading" aria-busy="true" />;
  return (
    <p class="notice" role="status">
      {`${what} cannot be shown. ${failure.message}`}
    </p>
  );
}
