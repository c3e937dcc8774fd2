/** Tools and API: every route and stream at a glance, with a link to the reference in which each can be tried. */
import { useState } from 'preact/hooks';
import * as format from '../format.ts';
import { useAnswer } from '../net/use-answer.ts';
import { Unanswered } from '../parts/unanswered.tsx';
import { operationsOf } from './api/operations.ts';
import { Sections } from './api/sections.tsx';
import { Streams } from './api/streams.tsx';

export default function ApiPage() {
  const [wanted, want] = useState('');
  const shown = useAnswer('/openapi.json', {}, { follow: 'once' });
  const operations = shown.value && operationsOf(shown.value);
  const found = operations?.filter(({ haystack }) => haystack.includes(wanted.trim().toLowerCase()));
  return (
    <section class="api">
      <h1>Tools and API</h1>
      <p>
        Everything on these pages comes from the public routes and streams below: no key, no account. The{' '}
        <a href="reference">reference</a> describes each and lets you try it;{' '}
        <a href="openapi.json">openapi.json</a> is the same for programs, with how the figures are computed,{' '}
        <a href="metrics">metrics</a> is for Prometheus, <a href="health">health</a> for load balancers.
      </p>
      <label class="filter">
        Find a route{' '}
        <input
          type="search"
          value={wanted}
          onInput={(event) => want(event.currentTarget.value)}
          placeholder="orderbook"
        />
        <span class="quiet" role="status">
          {found && `${format.whole(found.length)} of ${format.whole(operations?.length)}`}
        </span>
      </label>
      {found ? <Sections operations={found} /> : <Unanswered shown={shown} what="The list of routes" />}
      {(found || shown.failure) && <Streams />}
    </section>
  );
}
