/** Every answer agrees with the OpenAPI document: for an engine without ledgers, and for one with recorded ledgers. */

import { describe, expect, test } from 'bun:test';
import { createApi } from '../../api/app.ts';
import { hexOf } from '../../engine/codec/bytes.ts';
import { transactionHash } from '../../engine/codec/hash.ts';
import { decodeObject } from '../../engine/codec/json.ts';
import { Engine } from '../../engine/engine.ts';
import { prepare, prepared } from '../../engine/ledger/prepare.ts';
import { relaidChain } from '../../support/chain.ts';
import { corpusDir } from '../../support/corpus.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { Mount } from '../../views/mount.ts';
import { Network } from '../../views/network.ts';
import { casesOf } from '../cases.ts';
import { asks, Document, type Known } from './document.ts';
import { LoggedErrors } from './fixture.ts';

/** Of the questions to an operation, the first and each of so many. */
const QUESTIONS_EVERY = casesOf(4, 1);

const nothing: Known = {
  md5: '0'.repeat(32),
  account: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh',
  index: '5',
  hash: '0'.repeat(64),
};

async function filled({ engine, views }: Network): Promise<Known> {
  for (const packed of relaidChain({ ledgers: 12, transactionsPerLedger: 40 }))
    await engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), false);
  await engine.drain();
  const newest = engine.ledgerBytes(engine.head!.index)!;
  const [token] = views.tokens.list({
    sort: 'holders',
    ascending: false,
    offset: 0,
    limit: 1,
  } as never).ids;
  return {
    md5: engine.state.tokens.md5(token!),
    account: String(decodeObject(newest.tx(0)).Account),
    index: String(engine.head!.index),
    hash: hexOf(transactionHash(newest.tx(0))),
  };
}

const log = new LoggedErrors();
const engine = new Engine({ store: new MemoryStore(), log });
const network = new Network({ engine });
const api = createApi({ mounts: [Mount.of(network)], log });
const base = 'http://localhost/v1';
const document = new Document(
  (await (await api.fetch(new Request(`${base}/openapi.json`))).json()) as Record<string, unknown>,
);

const worlds: [string, () => Promise<Known>][] = [
  ['nothing read', async () => nothing],
  ...(corpusDir ? [['recorded ledgers', () => filled(network)] as [string, () => Promise<Known>]] : []),
];

describe.each(worlds)('%s', (_, make) => {
  let known: Known | undefined;

  test.each(document.operations.map((one) => [`${one.method} ${one.path}`, one] as const))(
    '%s answers as declared',
    async (_, operation) => {
      known ??= await make();
      const faults: string[] = [];
      for (const [i, { method, path, body }] of [...asks(operation, known)].entries()) {
        if (i % QUESTIONS_EVERY > 0) continue;
        // Twice: made, and kept.
        for (let time = 0; time < 2; time++) {
          const request = new Request(base + path, { method, ...(body !== undefined && { body }) });
          const response = await (time === 0
            ? api.fetch(request)
            : (api.cached(request) ?? api.fetch(request)));
          const found = await document.faults(operation, response, path.includes('fields='));
          faults.push(...found.map((fault) => `${method} ${path} ${body ?? ''}: ${fault}`));
        }
      }
      expect(faults).toEqual([]);
      expect(log.lines).toEqual([]);
    },
  );
});
