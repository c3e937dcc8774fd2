/** URIs of NFTs against a map of them: in rows, in texts as earlier versions have them, changed, and after restarts. */
import { describe, expect, test } from 'bun:test';
import { historyDigest } from '../../../engine/digest.ts';
import { NftUris, storedUris } from '../../../engine/nfts/uris.ts';
import { Texts } from '../../../engine/state/texts.ts';
import { TextKind } from '../../../engine/store.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { cursorOf } from '../../data/tools.ts';
import { drawsOf, seedOf } from '../../sandbox/seed.ts';

const SEED = seedOf('NFT URIs', 20_261_129);
/** More than are kept in memory. */
const NFTS = 45_000;
/** NFTs that a store of an earlier version has; none in a store of this one. */
const EARLIER = 1003;

class Rig {
  readonly store = new MemoryStore();
  readonly model = new Map<number, string>();
  #texts = new Texts();
  uris = this.#opened();
  #count = 1;

  /** One that an earlier version wrote. */
  earlier(nft: number, uri: string): void {
    this.#texts.set(TextKind.nftUri, nft, uri);
    this.model.set(nft, uri);
    this.#count = Math.max(this.#count, nft + 1);
  }

  set(nft: number, uri: string): void {
    this.uris.set(nft, uri);
    this.model.set(nft, uri);
    this.#count = Math.max(this.#count, nft + 1);
  }

  async durable(): Promise<void> {
    const batch = this.store.batch();
    this.#texts.drain(batch);
    this.uris.drain(batch);
    await this.store.commit(batch, cursorOf(1));
  }

  restart(): void {
    this.#texts = new Texts();
    this.uris = this.#opened();
    this.uris.restored(this.#count);
  }

  #opened(): NftUris {
    this.#texts.attach(this.store);
    const uris = new NftUris(this.#texts);
    uris.attach(this.store);
    return uris;
  }

  /** Those of the model that differ. */
  wrong(): unknown[] {
    return [...this.model].filter(([nft, uri]) => (this.uris.get(nft) ?? '') !== uri);
  }
}

async function run(earlier: number): Promise<Rig> {
  const draws = drawsOf(SEED + earlier);
  const rig = new Rig();
  const uri = (): string => {
    const kind = draws(20);
    if (kind === 0) return '';
    const length = kind === 1 ? 256 : 1 + draws(30);
    return Array.from({ length }, () => String.fromCharCode(draws(256))).join('');
  };
  for (let nft = 1; nft <= earlier; nft++) rig.earlier(nft, uri());
  await rig.durable();
  rig.restart();
  for (let nft = earlier + 1; nft < NFTS; nft++) {
    // One without a text yet, as of an NFT that only an offer names.
    if (draws(50) > 0) rig.set(nft, uri());
    if (draws(20) === 0) rig.set(1 + draws(nft), uri());
    if (draws(300) === 0) await rig.durable();
    if (draws(10_000) === 0) {
      await rig.durable();
      rig.restart();
    }
  }
  return rig;
}

describe.each([
  ['of this version', 0],
  ['of an earlier version', EARLIER],
])('a store %s', (_, earlier) => {
  test('has the URIs that were set last, before and after a restart', async () => {
    const rig = await run(earlier);
    expect(rig.wrong()).toEqual([]);
    await rig.durable();
    expect(rig.wrong()).toEqual([]);
    rig.restart();
    expect(rig.wrong()).toEqual([]);
    const all = [...rig.model].filter(([, uri]) => uri !== '').sort(([a], [b]) => a - b);
    expect([...storedUris(rig.store)]).toEqual(all);
  });
});

test('the digest does not tell in which rows they are, and one byte of one moves it', async () => {
  const [texts, rows] = [new Rig(), new Rig()];
  for (let nft = 1; nft <= 40; nft++) {
    texts.earlier(nft, `uri ${nft}`);
    rows.set(nft, `uri ${nft}`);
  }
  const digests = async () => {
    await Promise.all([texts.durable(), rows.durable()]);
    return [texts, rows].map(({ store }) => historyDigest(store));
  };
  const [ofTexts, ofRows] = await digests();
  expect(ofTexts).toBe(ofRows!);
  for (const rig of [texts, rows]) {
    rig.restart();
    rig.set(7, 'uri 8');
  }
  const changed = await digests();
  expect(changed[0]).toBe(changed[1]!);
  expect(changed[0]).not.toBe(ofTexts!);
});
