/**
 * An address, hash or id with a button that copies it: all of it, where only a part is shown, too. Browsers have a clipboard
 * for pages of HTTPS and of this machine alone; in a house's own network the older way is left, which copies what is selected.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

interface CopyableProps {
  /** What is shown and copied. */
  readonly text: string;
  /** What it is, for those who do not see where it stands: 'the address'. */
  readonly what: string;
  /** Of the text. */
  readonly class?: string;
  /** What is shown in place of the text: a link. */
  readonly children?: ComponentChildren;
}

export function Copyable({ text, what, class: name = 'mono', children = text }: CopyableProps) {
  return (
    <span class="copyable">
      <span class={name}>{children}</span>
      <CopyButton key={text} text={text} what={what} />
    </span>
  );
}

type Outcome = 'copied' | 'failed';

const WORDS: Readonly<Record<Outcome, string>> = { copied: 'Copied', failed: 'Not copied: select it' };
/** How long the outcome is shown. */
const SHOWN_MS = 2_000;

function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const [outcome, setOutcome] = useState<Outcome>();
  useEffect(() => {
    if (outcome === undefined) return;
    const timer = setTimeout(() => setOutcome(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async () => setOutcome((await copied(text)) ? 'copied' : 'failed');
  return (
    <>
      <button type="button" class="copy" aria-label={`Copy ${what}`} title={`Copy ${what}`} onClick={copy}>
        <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
          <path d={outcome === 'copied' ? 'M3 8.5l3.5 3.5L13 4.5' : 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3'} />
        </svg>
      </button>
      <span role="status" class={outcome === 'failed' ? 'down' : 'visually-hidden'}>
        {outcome && WORDS[outcome]}
      </span>
    </>
  );
}

/** Whether it is in the clipboard now. */
async function copied(text: string): Promise<boolean> {
  // Absent outside of HTTPS, whatever the types say.
  const clipboard = navigator.clipboard as Clipboard | undefined;
  try {
    if (!clipboard) return copiedBySelection(text);
    await clipboard.writeText(text);
    return true;
  } catch {
    return copiedBySelection(text);
  }
}

function copiedBySelection(text: string): boolean {
  const focused = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.className = 'visually-hidden';
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
