/** A state attached to from a description: it reads what the writer's own says, ledger after ledger. */
import { describe, expect, test } from 'bun:test';
import { Engine } from '../../../engine/engine.ts';
import { describeState, SharedState } from '../../../engine/state/shared-state.ts';
import { OutdatedDescriptionError } from '../../../engine/state/table-memory.ts';
import { recordedLedgers, recordedRun } from '../../ledgers.ts';
import { applyAll, newEngine } from '../../views/world.ts';

const attach = ({ state }: Engine) => new SharedState(structuredClone(describeState(state)));

/** Everything that either says of tokens and their holders, found by names. */
function seen(
  { tokens, lines, accounts }: Pick<SharedState, 'tokens' | 'lines' | 'accounts'>,
  md5s: string[],
) {
  return md5s.map((md5) => {
    const token = tokens.byMd5(md5)!;
    const holders = Array.from(lines.holders(token), (line) => {
      const holder = lines.holderAccount(line, token);
      const address = accounts.text(holder);
      return {
        address,
        found: lines.find(accounts.findText(address)!, token) === line,
        balance: lines.balanceRaw(line, token),
        isFrozen: lines.frozenByIssuer(line, token),
        drops: accounts.balanceDrops(holder),
      };
    });
    const counts = [lines.lineCount(token), lines.holdersCount(token), lines.frozenCount(token)];
    return { md5, counts, holders };
  });
}

/** Every book with its offers, and every pool with its reserves, found by their tokens. */
function seenTrading({ books, pools }: Pick<SharedState, 'books' | 'pools'>) {
  const bookIds = Array.from({ length: books.bookCount - 1 }, (_, i) => i + 1);
  const poolIds = Array.from({ length: pools.count - 1 }, (_, i) => i + 1);
  return {
    books: bookIds.map((id) => {
      const [pays, gets, domain] = [books.bookPays(id), books.bookGets(id), books.bookDomain(id)];
      const offers = [...books.offers(id)].map((offer) => [
        offer,
        books.accounts[offer],
        books.paysHi[offer],
        books.paysLo[offer],
        books.getsHi[offer],
        books.getsLo[offer],
      ]);
      return {
        found: books.book(pays, gets, domain) === id,
        size: books.size(id),
        of: books.offersOf(pays),
        offers,
      };
    }),
    pools: poolIds.map((id) => {
      const found = pools.byAssets(pools.asset2(id), pools.asset1(id));
      const reserves = [pools.reserveRaw(id, 1), pools.reserveRaw(id, 2)];
      return { found, exists: pools.exists(id), byAccount: pools.byAccount(pools.accounts[id]!), reserves };
    }),
  };
}

describe('a shared state', () => {
  test('reads what its writer says, of the ledger it names, through indexes and lists', async () => {
    const engine = newEngine();
    let attached = attach(engine);
    let outdated = 0;
    for (const packed of recordedRun()) {
      await applyAll(engine, [packed]);
      const { state } = engine;
      const md5s = Array.from({ length: state.tokens.count - 1 }, (_, i) => state.tokens.md5(i + 1));
      const read = () => attached.read(() => seen(attached, md5s));
      let value: ReturnType<typeof read>;
      try {
        value = read();
      } catch (fault) {
        expect(fault).toBeInstanceOf(OutdatedDescriptionError);
        outdated++;
        attached = attach(engine);
        value = read();
      }
      expect(value.ledger).toBe(packed.ledgerIndex);
      expect(value.value).toEqual(seen(state, md5s));
      expect(attached.read(() => seenTrading(attached)).value).toEqual(seenTrading(state));
    }
    // Indexes began small, and grew at some ledgers, not at all of them.
    expect(outdated).toBeGreaterThan(0);
    expect(outdated).toBeLessThan(recordedRun().length);
  });

  test('reads pools and books of every kind of recorded ledger', async () => {
    const engine = newEngine();
    await applyAll(engine, recordedLedgers());
    const { books, pools } = attach(engine).read(() => seenTrading(attach(engine))).value;
    expect({ books, pools }).toEqual(seenTrading(engine.state));
    expect(books.filter(({ size }) => size > 1).length).toBeGreaterThan(0);
    expect(pools.filter(({ exists }) => exists).length).toBeGreaterThan(0);
    for (const { found, size, offers } of books) expect([found, size]).toEqual([true, offers.length]);
  });

  test('names the ledger that was restored', async () => {
    const engine = newEngine();
    await applyAll(engine, recordedRun().slice(0, 3));
    const restored = new Engine({
      store: engine.store,
      log: { debug() {}, info() {}, warn() {}, error() {} },
    });
    restored.restore();
    const { ledger, value } = attach(restored).read(() => 1);
    expect([ledger, value]).toEqual([engine.head!.index, 1]);
  });
});
