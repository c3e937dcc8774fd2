/**
 * The title of the window: what is shown, by its name, and after it whose page that is. A page says what it shows as soon as it is
 * known; until then, and where it says nothing, the title is that of the page in the table of pages.
 */
import { signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';

const SERVICE = 'Millrace';

const subject = signal<string | undefined>(undefined);

/** Names what a page shows, for as long as it is shown. @param text undefined: not known */
export function useTitle(text: string | undefined): void {
  useLayoutEffect(() => {
    subject.value = text;
  }, [text]);
  useLayoutEffect(
    () => () => {
      subject.value = undefined;
    },
    [],
  );
}

/** The title of a page. @param usual what it is where the page says nothing better */
export function useDocumentTitle(usual: string): void {
  const title = `${subject.value ?? usual} · ${SERVICE}`;
  useLayoutEffect(() => {
    document.title = title;
  }, [title]);
}
