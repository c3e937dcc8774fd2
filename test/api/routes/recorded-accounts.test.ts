/** Accounts and trust lines that public servers answered with: loaded as entries of the ledger, the routes say the same of them. */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { encode } from 'ripple-binary-codec';
import { bytesOf } from '../../../engine/codec/bytes.ts';
import { Engine } from '../../../engine/engine.ts';
import { corpusDir } from '../../../support/corpus.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { Network } from '../../../views/network.ts';
import { quietLog as log } from '../../engine/ledger/quiet.ts';
import { asker, type Json } from './ask.ts';

const LENGTH_BYTES = 4;

/** Results of the answers that were checked when they were collected. */
function recorded(command: string): Json[] {
  const all: Json[] = JSON.parse(readFileSync(join(corpusDir!, 'responses', `${command}.json`), 'utf8'));
  return all.filter(({ trust }) => trust === 'checked').map(({ response }) => response.result ?? response);
}

/** Fields of the ledger begin with a capital letter; others are the server's own. */
const fieldsOf = (entry: Json): Json =>
  Object.fromEntries(Object.entries(entry).filter(([name]) => /^[A-Z]/.test(name)));

/** A service that knows these entries and nothing else. */
function serviceOf(entries: readonly Json[]) {
  const parts = entries.flatMap((entry) => {
    const bytes = bytesOf(encode(fieldsOf(entry)));
    const length = new Uint8Array(LENGTH_BYTES);
    new DataView(length.buffer).setUint32(0, bytes.length, true);
    return [bytesOf(entry.index), length, bytes];
  });
  const engine = new Engine({ store: new MemoryStore(), log });
  engine.loadEntries(new Uint8Array(Buffer.concat(parts)));
  return asker(new Network({ engine }));
}

describe.skipIf(!corpusDir)('recorded answers', () => {
  test('account_info: balance, sequence, flags, entries and domain', async () => {
    const roots = recorded('account_info').map((result) => result.account_data);
    expect(roots.length).toBeGreaterThan(10);
    for (const root of roots) {
      const { get } = serviceOf([root]);
      const { body } = await get(`/account/info/${root.Account}`);
      expect(body).toMatchObject({
        account: root.Account,
        balance: root.Balance,
        ownerCount: root.OwnerCount,
        sequence: root.Sequence,
        flags: root.Flags,
        total: Number(root.Balance) / 1e6,
      });
      expect(body.domain).toBe(root.Domain && Buffer.from(root.Domain, 'hex').toString());
      for (const [name, value] of Object.entries(body.account_data))
        expect([name, value]).toEqual([name, root[name]]);
    }
  });

  test('account_objects: trust lines', async () => {
    let compared = 0;
    for (const { account, account_objects: objects } of recorded('account_objects')) {
      const { get } = serviceOf(objects);
      const { body } = await get(`/trustlines/${account}?format=raw&includeZero=true&limit=50`);
      for (const { _id, ...row } of body.lines) expect(objects).toContainEqual(expect.objectContaining(row));
      // Lines on which it neither holds nor trusts are those of others.
      const held = objects.filter(({ Balance, LowLimit, HighLimit }: Json) => {
        const isLow = LowLimit.issuer === account;
        const balance = Number(Balance.value) * (isLow ? 1 : -1);
        return balance > 0 || (balance === 0 && Number((isLow ? LowLimit : HighLimit).value) > 0);
      });
      expect(body.lines.length).toBeGreaterThanOrEqual(held.length);
      compared += body.lines.length;
    }
    expect(compared).toBeGreaterThan(5);
  });
});
