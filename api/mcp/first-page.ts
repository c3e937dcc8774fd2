/**
 * The first page of `tools/list`, which every client asks for at its start: whole answers ready to be sent.
 *
 *     body of a request -> seen before? --yes--> kept answer                    nothing parsed, nothing copied
 *                             `-no-> is it just that? --yes--> its id -> answer, kept
 *                                                     `-no---> the way of all messages (endpoint.ts)
 *
 * Recognized is the one request without cursor and `_meta`, in the orders of members that clients send, with an id that is
 * a whole number; whatever differs in a character goes the other way, which answers the same. Responses hold a Blob as it
 * is, and copy bytes. Cost: 64 copies of the page at most.
 */
import { RESULT_END, resultHead } from './json-rpc.ts';

/** Clients count their requests from 0 or 1 on. */
const IDS_KEPT = 64;
/** Longer texts are something else. */
const TEXT_MAX = 100;
const ID = '(0|[1-9][0-9]{0,14})';
const REQUEST = new RegExp(
  `^(?:\\{"jsonrpc":"2\\.0","id":${ID},"method":"tools/list"(?:,"params":\\{\\})?\\}` +
    `|\\{"method":"tools/list",(?:"params":\\{\\},)?"jsonrpc":"2\\.0","id":${ID}\\})$`,
);

export class FirstPage {
  readonly #result: string;
  /** By id. */
  readonly #kept: Blob[] = [];
  /** The same, by the texts of the requests that were answered with them. */
  readonly #byText = new Map<string, Blob>();

  /** @param members of the result, JSON without braces */
  constructor(members: Uint8Array) {
    this.#result = `{${Buffer.from(members).toString()}}`;
  }

  /** The answer to a request of the handshake era; undefined: it is another request. */
  answer(text: string): Blob | undefined {
    if (text.length > TEXT_MAX) return undefined;
    return this.#byText.get(text) ?? this.#found(text);
  }

  #found(text: string): Blob | undefined {
    const [, first, second] = REQUEST.exec(text) ?? [];
    const id = first ?? second;
    if (id === undefined) return undefined;
    const number = Number(id);
    if (number >= IDS_KEPT) return this.#made(number);
    this.#kept[number] ??= this.#made(number);
    this.#byText.set(text, this.#kept[number]);
    return this.#kept[number];
  }

  #made(id: number): Blob {
    return new Blob([resultHead(id), this.#result, RESULT_END]);
  }
}
