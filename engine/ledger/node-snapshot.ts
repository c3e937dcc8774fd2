/**
 * The whole state of one ledger, page by page, pinned to one ledger and one endpoint, and proved.
 *
 * `ledger_data` returns entries in the order of their index, which is the order of the state tree's leaves, so the
 * root is computed while the pages arrive (`TreeHasher`) and no entry is kept. Only the last page shows whether the
 * state is correct: leaf = SHA512Half('MLN\0' + entry + index), root = account hash of the proved header.
 *
 *     node       | page 1 |   page 2   |   page 3   | ...      one request at a time: each needs the marker before
 *     prover              | 1 |        | 2 |        | 3 |      reads the text, adds to the proof (state-page.ts)
 *     reader                  | 1 |        | 2 |        | 3 |
 *
 * The next page is requested as soon as the text of one has arrived: its marker is found in the text without parsing
 * that; a socket in another thread does so by itself (workers/page-requests.ts). The proof reads the same marker; an answer with two of them is refused. At most `limits.pagesAhead` pages are
 * requested and not taken by the reader.
 *
 * A page that fails is requested again (`limits.pageAttempts` times, with back-off), also over a new connection. Each
 * page carries what is needed to continue after it later, or with another node.
 */
import type { LedgerDataRequest } from 'xrpl';
import { hexOf } from '../codec/bytes.ts';
import { type Clock, sleep } from './clock.ts';
import type { Endpoint } from './endpoint.ts';
import type { Limits } from './limits.ts';
import { resultOf } from './node-messages.ts';
import { markerIn } from './page-text.ts';
import {
  type PageProof,
  type PageProver,
  type SnapshotPage,
  type SnapshotResume,
  SourceError,
} from './source.ts';

export interface SnapshotOptions {
  readonly endpoint: Endpoint;
  readonly header: Uint8Array;
  readonly hash: Uint8Array;
  readonly resume: SnapshotResume | undefined;
  readonly prover: PageProver;
  readonly limits: Limits;
  readonly clock: Clock;
  closed(): boolean;
}

/**
 * Resolves with the pages when the first one has arrived: nodes keep headers for longer than the state.
 * @throws SourceError, here and from the iteration: missing when the node does not have the state (any more); malformed
 * or false when the state does not pass the proof
 */
export async function openPages(options: SnapshotOptions): Promise<AsyncGenerator<SnapshotPage, void>> {
  const pages = snapshotPages(options);
  const first = await pages.next();
  return (async function* () {
    try {
      if (first.done) return;
      yield first.value;
      yield* pages;
    } finally {
      await pages.return();
    }
  })();
}

async function* snapshotPages(options: SnapshotOptions): AsyncGenerator<SnapshotPage, void, undefined> {
  const { endpoint, header, hash, resume } = options;
  const index = new DataView(header.buffer, header.byteOffset).getUint32(0);
  if (resume && resume.ref.index !== index)
    throw new SourceError(
      'refused',
      `a snapshot of ledger ${resume.ref.index} cannot continue in ledger ${index}`,
    );
  const ahead = new PagesAhead(options);
  try {
    for (;;) {
      const { tree, ...page } = await ahead.take();
      const { marker } = page;
      const next = marker === undefined ? undefined : { ref: { index, hash }, marker, tree };
      // The last page is yielded only after the proof: a reader that gets to the end has a proved state.
      yield { ...page, resume: next };
      if (marker === undefined) return;
    }
  } catch (error) {
    if (error instanceof SourceError && (error.code === 'malformed' || error.code === 'false'))
      endpoint.distrust(error.message);
    throw error;
  } finally {
    ahead.end();
  }
}

/** Pages that are requested, or being proved, or wait for the reader. */
class PagesAhead {
  readonly #options: SnapshotOptions;
  /** In the order of pages. */
  readonly #proofs: Promise<PageProof>[] = [];
  /** Of the page requested last. */
  #tree: Promise<Uint8Array | undefined>;
  /** Marker of a page that will be requested when one has been taken. */
  #postponed: string | undefined;
  #ended = false;

  constructor(options: SnapshotOptions) {
    this.#options = options;
    const { resume } = options;
    this.#tree = Promise.resolve(resume?.tree);
    // The first page has one attempt only: another node, or another ledger, may be the better choice.
    this.#request(fetchPage(options, resume?.marker, { attempts: 1, follows: false }));
  }

  /** The next page. @throws SourceError */
  async take(): Promise<PageProof> {
    const proof = await this.#proofs[0]!;
    this.#proofs.shift();
    if (this.#postponed !== undefined) this.#continueAt(this.#postponed);
    return proof;
  }

  /** Requests nothing more. */
  end(): void {
    this.#ended = true;
  }

  #continueAt(marker: string): void {
    const isFull = this.#proofs.length >= this.#options.limits.pagesAhead;
    this.#postponed = isFull ? marker : undefined;
    if (isFull || this.#ended) return;
    const attempts = this.#options.limits.pageAttempts;
    this.#request(fetchPage(this.#options, marker, { attempts, follows: true }));
  }

  #request(answer: Promise<string>): void {
    const proof = this.#prove(answer, this.#tree);
    this.#tree = proof.then(({ tree }) => tree);
    // Failures are reported to who takes the page, and to nobody when the reader has left.
    for (const promise of [proof, this.#tree]) promise.catch(() => {});
    this.#proofs.push(proof);
  }

  async #prove(answer: Promise<string>, before: Promise<Uint8Array | undefined>): Promise<PageProof> {
    const { prover, header, hash, limits } = this.#options;
    const text = await answer;
    const announced = markerIn(text);
    if (announced !== undefined) this.#continueAt(announced);
    const { messageBytes, nesting, values, pageEntries, stateEntries, stateEntriesAhead, entryBytes } =
      limits;
    const tree = await before;
    const proof = await prover.provePage({
      text,
      header,
      hash,
      tree,
      limits: { messageBytes, nesting, values, pageEntries, stateEntries, stateEntriesAhead, entryBytes },
    });
    if ('fault' in proof) throw new SourceError(proof.fault.code, proof.fault.message);
    if (announced === undefined && proof.marker !== undefined) this.#continueAt(proof.marker);
    if (announced !== undefined && announced !== proof.marker)
      throw new SourceError('malformed', 'a state page with two markers');
    return proof;
  }
}

/** @param follows it is the page after that of the last request. @returns the node's answer as it came @throws SourceError */
async function fetchPage(
  options: SnapshotOptions,
  marker: string | undefined,
  { attempts, follows }: { readonly attempts: number; readonly follows: boolean },
): Promise<string> {
  const { endpoint, hash, limits, clock } = options;
  const command = {
    command: 'ledger_data',
    ledger_hash: hexOf(hash),
    binary: true,
    limit: limits.pageEntries,
    ...(marker === undefined ? {} : { marker }),
  } satisfies LedgerDataRequest;
  for (let attempt = 1; ; attempt++) {
    if (options.closed()) throw new SourceError('closed', 'snapshot: source closed');
    try {
      const { text, response } = await endpoint.requestPage(command, {
        timeout: limits.snapshotTimeout,
        follows: follows && attempt === 1,
      });
      if (response) resultOf(response);
      return text;
    } catch (error) {
      const isTemporary = error instanceof SourceError && ['timeout', 'unreachable'].includes(error.code);
      if (!isTemporary || attempt >= attempts) throw error;
      await sleep(clock, Math.min(limits.backoffFirst * 2 ** attempt, limits.backoffMax));
    }
  }
}
