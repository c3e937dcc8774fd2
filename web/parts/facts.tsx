/** Names and what is known of each, in a grid. */
import type { ComponentChildren } from 'preact';

export type Fact = readonly [name: string, value: ComponentChildren];

export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
