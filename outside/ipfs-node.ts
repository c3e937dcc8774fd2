/**
 * An IPFS node (Kubo) by its own HTTP API, which listens on its machine alone unless the operator opens it:
 *
 *     POST /api/v0/pin/add?arg=CID   {"Pins":["CID"]}, when the node has fetched all of it
 *     POST /api/v0/pin/ls?arg=CID    {"Keys":{"CID":{"Type":"recursive"}}}; 500 {"Message":"... is not pinned"}
 *
 * https://docs.ipfs.tech/reference/kubo/rpc/
 */
import type { PinningNode } from '../platform/pins.ts';
import { boundedText, type FetchBounds, OutsideError } from './bounded-fetch.ts';

/** The node looks for the content in its network, which may take minutes; what nobody has is given up. */
const ADD: FetchBounds = { timeoutMs: 10 * 60_000, bytesMax: 64 * 1024 };
const LIST: FetchBounds = { timeoutMs: 3_000, bytesMax: 64 * 1024 };

export class IpfsNode implements PinningNode {
  readonly #url: string;
  readonly #add: FetchBounds;

  /** @param url of its API, without `/api/v0` */
  constructor(url: string, add: FetchBounds = ADD) {
    this.#url = url;
    this.#add = add;
  }

  async pin(cid: string): Promise<void> {
    const answer = await this.#ask('pin/add', { arg: cid, recursive: 'true', progress: 'false' }, this.#add);
    const { Pins } = answer as { Pins?: unknown };
    if (!Array.isArray(Pins) || Pins.length === 0) throw new OutsideError('the node says nothing of a pin');
  }

  async isPinned(cid: string): Promise<boolean | undefined> {
    try {
      const answer = await this.#ask('pin/ls', { arg: cid, type: 'recursive' }, LIST);
      const { Keys } = answer as { Keys?: unknown };
      return typeof Keys === 'object' && Keys !== null && Object.keys(Keys).length > 0;
    } catch (fault) {
      // The node answers so where it does not keep it.
      return fault instanceof OutsideError && fault.message === 'HTTP 500' ? false : undefined;
    }
  }

  /** @throws OutsideError */
  async #ask(command: string, query: Readonly<Record<string, string>>, bounds: FetchBounds): Promise<object> {
    const url = `${this.#url}/api/v0/${command}?${new URLSearchParams(query)}`;
    const text = await boundedText(url, bounds, undefined, { method: 'POST' });
    try {
      const answer: unknown = JSON.parse(text);
      if (typeof answer === 'object' && answer !== null) return answer;
    } catch {
      // Said below.
    }
    throw new OutsideError('the node answers no JSON object');
  }
}
