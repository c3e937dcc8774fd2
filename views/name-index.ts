/** As many as a float holds exactly. */
const KEY_BYTES = 6;

/**
 * Finds tokens whose name contains a text, without an object per token: all names are in one buffer, in lower
 * case, each after a zero byte, in id order; a native substring search runs over it (about 1 ms for 500,000
 * names) and a binary search turns a hit into an id. Names never change, so the buffer only grows.
 */
export class NameIndex {
  readonly #name: (id: number) => string;
  #bytes = Buffer.alloc(1 << 16);
  #used = 0;
  #starts = new Uint32Array(1024);
  #count = 0;

  /** @param name the text to search for an id. */
  constructor(name: (id: number) => string) {
    this.#name = name;
  }

  /** Ids taken in so far. */
  get count(): number {
    return this.#count;
  }

  /** Takes in the ids up to `end` (exclusive). */
  extend(end: number): void {
    for (let id = this.#count; id < end; id++) {
      const text = Buffer.from(`\0${lowered(this.#name(id))}`, 'utf8');
      if (this.#used + text.length > this.#bytes.length) {
        const grown = Buffer.alloc((this.#used + text.length) * 2);
        this.#bytes.copy(grown, 0, 0, this.#used);
        this.#bytes = grown;
      }
      if (id >= this.#starts.length) {
        const grown = new Uint32Array(this.#starts.length * 2);
        grown.set(this.#starts);
        this.#starts = grown;
      }
      this.#starts[id] = this.#used;
      text.copy(this.#bytes, this.#used);
      this.#used += text.length;
    }
    this.#count = Math.max(this.#count, end);
  }

  /** A byte per id: 1 where the name contains `text` (case ignored). Ids up to what `extend` took in. */
  containing(text: string): Uint8Array {
    const marks = new Uint8Array(this.#count);
    const wanted = lowered(text).replaceAll('\0', '');
    if (wanted.length === 0) return marks.fill(1);
    const haystack = this.#bytes.subarray(0, this.#used);
    const needle = Buffer.from(wanted, 'utf8');
    for (let at = haystack.indexOf(needle); at >= 0; ) {
      const id = this.#idAt(at);
      marks[id] = 1;
      at = haystack.indexOf(needle, this.#end(id));
    }
    return marks;
  }

  /** The first six bytes of the lower-case name as a number: orders names as their bytes do, up to ties. */
  key(id: number): number {
    const end = this.#end(id);
    let key = 0;
    for (let i = 0, at = this.#starts[id]! + 1; i < KEY_BYTES; i++, at++)
      key = key * 256 + (at < end ? this.#bytes[at]! : 0);
    return key;
  }

  /** Order of two lower-case names by their bytes. */
  compare(a: number, b: number): number {
    const bytes = this.#bytes;
    return bytes.compare(bytes, this.#starts[b]!, this.#end(b), this.#starts[a]!, this.#end(a));
  }

  #end(id: number): number {
    return id + 1 < this.#count ? this.#starts[id + 1]! : this.#used;
  }

  #idAt(offset: number): number {
    let low = 0;
    let high = this.#count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

function lowered(text: string): string {
  return text.toLowerCase().replaceAll('\0', '');
}
