/** Why the newest question was not answered, in the service's own words; what was answered before stays shown beside it. */
import * as format from '../format.ts';
import type { Failure } from '../net/rest.ts';

const LONGEST = 400;

export function FailureLine({ of }: { readonly of: Failure | undefined }) {
  if (!of) return null;
  return (
    <p class="failure" role="status">
      {format.text(of.message, LONGEST)}
    </p>
  );
}
