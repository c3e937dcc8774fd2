/** An answer as it came, for whoever wants every field; made into text when it is opened. */
import { useState } from 'preact/hooks';

export function RawJson({ value, title = 'Raw JSON' }: { readonly value: object; readonly title?: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="raw" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section class="scroll" tabIndex={0} aria-label={title}>
          <pre>{JSON.stringify(value, undefined, 2)}</pre>
        </section>
      )}
    </details>
  );
}
