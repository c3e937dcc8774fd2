/** The accounts that transactions affect, against the rule of rippled's `TxMeta` applied to what the reference codec reads. */
import { expect, test } from 'bun:test';
import { decode } from 'ripple-binary-codec';
import { accountText } from '../../../engine/codec/base58.ts';
import { bytesOf } from '../../../engine/codec/bytes.ts';
import { Changes } from '../../../engine/codec/changes.ts';
import { extractChanges } from '../../../engine/codec/extract.ts';
import type { PackedLedger } from '../../../engine/codec/packed.ts';
import { corpusDir } from '../../../support/corpus.ts';
import { sampled } from '../../cases.ts';
import { recordedTransactions } from './blobs.ts';
import { packAny } from './packing.ts';

/** Of recorded transactions one in so many is looked at in `npm test`. */
const EVERY = 4;
/** Transactions that are packed together. */
const LEDGER = 200;
const ADDRESS = /^r[1-9A-HJ-NP-Za-km-z]{24,34}$/;
const ACCOUNT_ZERO = 'rrrrrrrrrrrrrrrrrrrrrhoLvTp';
const LIMITS = new Set(['LowLimit', 'HighLimit', 'TakerPays', 'TakerGets']);

type Fields = Readonly<Record<string, unknown>>;
interface Metadata {
  readonly AffectedNodes: readonly Readonly<Record<string, { FinalFields?: Fields; NewFields?: Fields }>>[];
}

/** Issuer of an MPT in its issuance id: the last 20 of its 24 bytes. */
const issuerOf = (id: string): string => accountText(Buffer.from(id.slice(8), 'hex'), 0);

function named(name: string, value: unknown): string | undefined {
  if (typeof value === 'string') {
    if (name === 'MPTokenIssuanceID') return issuerOf(value);
    return ADDRESS.test(value) && !LIMITS.has(name) ? value : undefined;
  }
  if (!LIMITS.has(name)) return undefined;
  const { issuer, mpt_issuance_id: mpt } = value as { issuer?: string; mpt_issuance_id?: string };
  return issuer ?? (mpt && issuerOf(mpt));
}

function expected(meta: Metadata): string[] {
  const found = new Set<string>();
  for (const node of meta.AffectedNodes)
    for (const { FinalFields, NewFields } of Object.values(node))
      for (const [name, value] of Object.entries({ ...FinalFields, ...NewFields })) {
        const account = named(name, value);
        if (account !== undefined && account !== ACCOUNT_ZERO) found.add(account);
      }
  return [...found].sort();
}

/** The accounts of each transaction, sorted. */
function found(packed: PackedLedger): string[][] {
  const changes = new Changes(extractChanges(packed));
  return Array.from({ length: packed.count }, (_, tx) => {
    const accounts = new Set<string>();
    for (let i = changes.affectedFrom(tx); i < changes.affectedFrom(tx + 1); i++)
      accounts.add(accountText(packed.bytes, changes.affected(i)));
    return [...accounts].sort();
  });
}

test.if(corpusDir !== undefined)('affected accounts of every recorded transaction', () => {
  const recorded = sampled(recordedTransactions(), EVERY);
  let compared = 0;
  for (let from = 0; from < recorded.length; from += LEDGER) {
    const rows = recorded.slice(from, from + LEDGER);
    const packed = packAny(rows.map(({ tx, meta }) => ({ tx: bytesOf(tx), meta: bytesOf(meta) })));
    for (const [i, accounts] of found(packed).entries()) {
      let meta: Metadata;
      try {
        meta = decode(rows[i]!.meta) as unknown as Metadata;
      } catch {
        // The reference refuses a few real blobs: negative amounts of 2013.
        continue;
      }
      expect(accounts).toEqual(expected(meta));
      compared += accounts.length;
    }
  }
  expect(compared).toBeGreaterThan(1000);
});

test('more accounts than there is room for at first, and the same ones again', () => {
  const account = (i: number): string => i.toString(16).padStart(8, '0').padStart(40, '7');
  const entry = (i: number): string =>
    `E511006156${'AB'.repeat(32)}E78114${account(i)}8214${account(i)}8314${account(i + 1)}E1E1`;
  const meta = `201C00000000F8${Array.from({ length: 700 }, (_, i) => entry(i)).join('')}F1031000`;
  const packed = packAny([{ tx: new Uint8Array(0), meta: bytesOf(meta) }]);
  const changes = new Changes(extractChanges(packed));
  expect(changes.affectedFrom(1)).toBe(701);
  const wanted = Array.from({ length: 701 }, (_, i) => accountText(bytesOf(account(i)), 0));
  expect(found(packed)).toEqual([wanted.sort()]);
});
