/**
 * Search for tokens, typos forgiven. A combo box: what is found opens below, the arrow keys
 * go through it, Enter opens it.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import * as format from '../format.ts';
import type { Answer, Failure } from '../net/rest.ts';
import { usePosted } from '../net/use-posted.ts';
import { useRested } from '../rested.ts';

type Found = Answer<'/search', 'POST'>['tokens'][number];

/** By themselves, because the types of the library know this role only together with a `list`. */
const comboBox = (id: string, isOpen: boolean, chosen: number): object => ({
  role: 'combobox',
  'aria-expanded': isOpen,
  'aria-controls': id,
  'aria-activedescendant': isOpen ? `${id}-${chosen}` : undefined,
});

/** As it is chosen. */
export type FoundToken = Found & { readonly md5: string; readonly name: string };

const SHOWN = 8;
/** Typing goes on faster than this. */
const REST_MS = 120;

interface SearchProps {
  readonly label: string;
  /** Of this page alone: names the list. */
  readonly id: string;
  /** Further choices, which stand for themselves: XRP. */
  readonly also?: readonly Found[];
  onChoose(token: FoundToken): void;
}

export function Search({ label, id, also = [], onChoose }: SearchProps) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const [open, setOpen] = useState(false);
  /** Before the answer was there: its first one is opened then. */
  const [isEntered, setEntered] = useState(false);
  const { tokens: searched, of, failure } = useFound(text);
  const isLike = ({ name = '' }: Found) => name.toLowerCase().startsWith(text.trim().toLowerCase());
  const liked = also.filter(isLike);
  const found = text.trim() === '' ? [] : [...liked, ...searched];
  // What was found for an older text stays shown until the newer answer is there, and is not opened any more.
  const isOfText = of === text.trim();
  const leave = () => {
    setOpen(false);
    setEntered(false);
    setText('');
  };
  const go = (token: Found | undefined) => {
    if (!token?.md5) return;
    onChoose(token as FoundToken);
    leave();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') leave();
    if (event.key === 'Enter') {
      if (isOfText || chosen < liked.length) go(found[chosen]);
      else setEntered(true);
    }
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0 || found.length === 0) return;
    event.preventDefault();
    setChosen((chosen + step + found.length) % found.length);
  };
  useEffect(() => {
    if (!isEntered || !isOfText) return;
    setEntered(false);
    go(found[chosen]);
  }, [isEntered, isOfText]);
  const isOpen = open && found.length > 0;
  const isNone = open && isOfText && text.trim() !== '' && found.length === 0;
  return (
    <div class="search">
      <input
        type="search"
        aria-label={label}
        {...comboBox(id, isOpen, chosen)}
        autocomplete="off"
        placeholder={label}
        maxLength={100}
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setChosen(0);
          setEntered(false);
          setOpen(true);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => {
          setOpen(false);
          setEntered(false);
        }}
      />
      <div class="found" id={id} role="listbox" aria-label="Found tokens" hidden={!isOpen}>
        {isOpen &&
          found.map((token, at) => (
            <FoundRow token={token} id={`${id}-${at}`} chosen={at === chosen} onChoose={() => go(token)} />
          ))}
      </div>
      <div role="status">
        {isNone && <p class="found none">{failure?.message ?? 'No token is called that.'}</p>}
      </div>
    </div>
  );
}

interface FoundRowProps {
  readonly token: Found;
  readonly id: string;
  readonly chosen: boolean;
  onChoose(): void;
}

function FoundRow({ token, id, chosen, onChoose }: FoundRowProps) {
  return (
    // Pressed, not clicked: the field would lose the focus first, and the list would close.
    // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and names the option that is chosen
    <div id={id} role="option" aria-selected={chosen} onMouseDown={onChoose}>
      <bdi class="cut">{format.text(token.name)}</bdi>
      <bdi class="cut quiet">
        {format.text(token.user || token.domain || format.shortAddress(token.issuer ?? ''))}
      </bdi>
      <span class="number">{format.price(format.inCurrency(token.exch))}</span>
    </div>
  );
}

interface Searched {
  /** The text. */
  readonly of: string;
  readonly tokens: readonly Found[];
  /** Why nothing could be looked for. */
  readonly failure?: Failure | undefined;
}

const NOTHING: Searched = { of: '', tokens: [] };

/** What is found for the text, once typing rests; what was found for the one before stays until then. */
function useFound(text: string): Searched {
  const wanted = useRested(text.trim(), REST_MS);
  const asked = wanted === '' ? undefined : { search: wanted, limit: SHOWN };
  const { value, failure } = usePosted('/search', asked);
  const found = useRef(NOTHING);
  if (wanted === '') found.current = NOTHING;
  else if (value || failure) found.current = { of: wanted, tokens: value?.tokens ?? [], failure };
  return found.current;
}
