/** A box whose content scrolls, by keyboard too. */
import type { ComponentChildren } from 'preact';

interface ScrollerProps {
  readonly label: string;
  /** As high as its content: only its width scrolls. */
  readonly isFlat?: boolean;
  readonly children: ComponentChildren;
}

export function Scroller({ label, isFlat = false, children }: ScrollerProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section class={isFlat ? 'scroller flat' : 'scroller'} tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}
