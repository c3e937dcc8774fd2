/**
 * How far pages and lists were scrolled when the reader left them: back and forward lead there again. The browser's own memory
 * is of no use for that: when it scrolls, the page has not been loaded again yet, and is too short. Kept as long as the document.
 */

/** What a page is known by, beside the labels of lists. */
const PAGE = '';
/** A page that is not as long again by then is shorter than it was. */
const WAIT_MS = 5_000;
/** What readers do when they scroll by themselves. */
const OWN_WILL = ['wheel', 'touchstart', 'keydown', 'pointerdown'] as const;

export class LeftPlaces {
  /** By entry of the browser's history, then by label. */
  readonly #tops = new Map<string, Map<string, number>>();
  #entry = '';
  #stopReturning: (() => void) | undefined;

  /** At the place at which the pages were opened; once. */
  begin(): void {
    this.#enter();
    addEventListener('scroll', () => !this.#stopReturning && this.remember(PAGE, scrollY), { passive: true });
  }

  topOf(label: string): number {
    return this.#tops.get(this.#entry)?.get(label) ?? 0;
  }

  remember(label: string, top: number): void {
    this.#tops.get(this.#entry)?.set(label, top);
  }

  /** Other rows are shown: they begin at their top. */
  forgetLists(): void {
    const top = this.topOf(PAGE);
    this.#tops.set(this.#entry, new Map([[PAGE, top]]));
  }

  /** At another place: at its top, or where the reader was. */
  arrive(): void {
    this.#stopReturning?.();
    this.#enter();
    const top = this.topOf(PAGE);
    scrollTo(0, top);
    if (top > 0) this.#returnTo(top);
  }

  /** Entries are known by a name that the browser keeps with them. */
  #enter(): void {
    const { entry = crypto.getRandomValues(new Uint32Array(2)).join('-') } = history.state ?? {};
    history.replaceState({ entry }, '');
    this.#entry = entry;
    if (!this.#tops.has(entry)) this.#tops.set(entry, new Map());
  }

  /** Scrolls as soon as the page is long enough, unless the reader does by then. */
  #returnTo(top: number): void {
    const grown = new ResizeObserver(() => {
      scrollTo(0, top);
      if (Math.abs(scrollY - top) < 1) this.#stopReturning?.();
    });
    const stop = () => {
      grown.disconnect();
      clearTimeout(timer);
      for (const deed of OWN_WILL) removeEventListener(deed, stop);
      this.#stopReturning = undefined;
    };
    const timer = setTimeout(stop, WAIT_MS);
    for (const deed of OWN_WILL) addEventListener(deed, stop, { passive: true });
    this.#stopReturning = stop;
    grown.observe(document.body);
  }
}
