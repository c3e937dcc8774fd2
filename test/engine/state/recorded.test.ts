import { describe, expect, test } from 'bun:test';
import { Changes } from '../../../engine/codec/changes.ts';
import { extractEntries } from '../../../engine/codec/extract.ts';
import { State } from '../../../engine/state/state.ts';
import { corpusDir } from '../../../support/corpus.ts';
import { sampled } from '../../cases.ts';
import { compareAll } from './compare.ts';
import { Model } from './model.ts';
import {
  recordedLedgers,
  recordedMetadata,
  recordedState,
  recordedTransactions,
  type Sample,
} from './recorded.ts';
import { interrupted, run, SMALL } from './run.ts';

/** Needs more than the golden ledgers. */
const large = test.skipIf(!corpusDir);

describe('state of recorded ledgers equals a plain fold of their JSON', () => {
  test('mainnet 2015, 21 consecutive ledgers', () => {
    const samples = recorded2015();
    run(samples, 1);
    interrupted(samples);
  });

  large('mainnet 2019, 10 consecutive ledgers', () => {
    const samples = recordedLedgers('mainnet-500625');
    run(samples, 1);
    interrupted(samples);
  });

  large('testnet 2019, 70 consecutive ledgers', () => {
    const samples = recordedLedgers('testnet-2019');
    run(samples, 10);
    interrupted(samples);
  });

  large('standalone from genesis', () => {
    const samples = recordedLedgers('standalone');
    run(samples, 1);
    interrupted(samples);
  });

  test('single mainnet ledgers of all years', () => {
    for (const sample of sampled(recordedLedgers('mainnet-'), 3)) run([sample], 1);
  });

  large('recorded transactions of every type, one after another', () => {
    const samples = recordedTransactions();
    const state = run(samples, 500);
    expect(state.pools.count).toBeGreaterThan(3);
    interrupted(samples);
  });
});

describe('metadata of eleven years', () => {
  large('folds as the model does, whatever came before it', () => {
    run(sampled(recordedMetadata(), 4), 800);
  });
});

describe('snapshots', () => {
  for (const name of ['mainnet-38129', 'mainnet-40000', 'mainnet-6226713', 'standalone-7']) {
    const its = name === 'mainnet-38129' ? test : large;
    its(`${name}: the current entries, in any pages`, () => {
      const { page, entries } = recordedState(`${name}.json.gz`);
      const state = new State(SMALL);
      const model = new Model();
      state.applyEntries(page, new Changes(extractEntries(page)));
      for (const entry of entries) model.entry(entry);
      compareAll(state, model);
      // The same entries again change nothing, and no account counts as created.
      const digest = state.digest();
      state.applyEntries(page, new Changes(extractEntries(page)));
      expect(state.digest()).toBe(digest);
      for (let id = 1; id < state.accounts.count; id++) expect(state.accounts.firstSeen[id]).toBe(0);
    });
  }

  large('a gap drops offers and books and keeps the rest', () => {
    const { page, entries } = recordedState('mainnet-6226713.json.gz');
    const state = new State(SMALL);
    const model = new Model();
    state.applyEntries(page, new Changes(extractEntries(page)));
    for (const entry of entries) model.entry(entry);
    expect(state.books.existing).toBeGreaterThan(60);
    state.changed.clear();
    state.gap();
    model.gap();
    expect(state.changed.books.size).toBeGreaterThan(0);
    compareAll(state, model);
  });
});

function recorded2015(): Sample[] {
  return recordedLedgers('mainnet-1111961').concat(recordedLedgers('mainnet-1111962'));
}
