/** A box whose content scrolls, by keyboard too. */
import type { ComponentChildren } from 'preact';

export function Scroller({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section class="scroller" tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}
