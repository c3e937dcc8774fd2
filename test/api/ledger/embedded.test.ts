/** Transactions, entries and MPTs as this service shows them, against the answers of the node that made them. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Json, JsonObject } from '../../../engine/codec/json.ts';
import { casesOf } from '../../cases.ts';
import { type Embedded, embedded } from '../../embedded.ts';
import { type Asker, asker } from '../routes/ask.ts';

/** Of the population: pools, NFTs, escrows, MPTs, vaults; in the long run a day of it. */
const LEDGERS = casesOf(500, 1500);

describe('the embedded network', () => {
  let net: Embedded;
  let service: Asker;

  beforeAll(async () => {
    net = await embedded(LEDGERS);
    service = asker(net.engine);
  });

  test('every transaction is what the node answers to tx', async () => {
    const added = new Map<string, number>();
    let seen = 0;
    for (const { transactions } of net.ledgers)
      for (const { hashText } of transactions) {
        const { body } = await service.get(`/tx/${hashText}`);
        const { success, took, attribution, date, ...ours } = body;
        const node = net.ask('tx', { transaction: hashText });
        expect(ours).toEqual(node);
        expect(date).toBe(ours.tx_json.date);
        for (const name of Object.keys(node.meta as JsonObject))
          if (/^[a-z]/.test(name)) added.set(name, (added.get(name) ?? 0) + 1);
        seen++;
      }
    console.log(`transactions compared: ${seen}; added members: ${JSON.stringify([...added])}`);
    expect([...added.keys()].sort()).toEqual([
      'delivered_amount',
      'mpt_issuance_id',
      'nftoken_id',
      'nftoken_ids',
      'offer_id',
    ]);
  });

  test('every entry that the transactions changed is what the node answers to ledger_entry', async () => {
    const types = new Map<string, number>();
    const others: string[] = [];
    let asked = 0;
    for (const { index, LedgerEntryType } of stateOf(net)) {
      // The lists that these hold are not in metadata: a node is asked.
      if (LedgerEntryType === 'DirectoryNode' || LedgerEntryType === 'LedgerHashes') continue;
      const { status, body } = await service.get(`/ledger/entry?index=${index}`);
      if (status === 404) {
        others.push(String(LedgerEntryType));
        continue;
      }
      const { node } = net.ask('ledger_entry', { index: index!, ledger_index: 'validated' });
      expect(body.node).toEqual(node);
      types.set(String(LedgerEntryType), (types.get(String(LedgerEntryType)) ?? 0) + 1);
      asked++;
    }
    console.log(`entries compared: ${asked}; ${JSON.stringify([...types])}`);
    // Not changed by any transaction; issuers that were only threaded to, again and again (a node is asked for these).
    for (const type of others) expect(['AccountRoot', 'Amendments', 'FeeSettings']).toContain(type);
    expect(others.length / asked).toBeLessThan(0.02);
    expect(types.size).toBeGreaterThan(15);
  });

  test('supply, holders and balances of MPTs are in tokens, by their asset scale', async () => {
    const state = [...stateOf(net)];
    const scales = new Set<number>();
    for (const issuance of state.filter(({ LedgerEntryType }) => LedgerEntryType === 'MPTokenIssuance')) {
      const id = String(issuance.mpt_issuance_id);
      const scale = Number(issuance.AssetScale ?? 0);
      scales.add(scale);
      const { token } = (await service.get(`/token/mpt-${id}`)).body;
      const supply = scaled(issuance.OutstandingAmount, scale);
      expect([token.amount, token.supply]).toEqual([supply, supply]);
      const { richList } = (await service.get(`/holders/list/mpt-${id}?limit=200`)).body;
      const held = state.filter(({ MPTokenIssuanceID, MPTAmount }) => MPTokenIssuanceID === id && MPTAmount);
      expect(richList).toHaveLength(held.length);
      for (const { Account, MPTAmount } of held) {
        const balance = scaled(MPTAmount, scale);
        expect(richList.find(({ account }: { account: unknown }) => account === Account).balance).toBe(
          balance,
        );
        const at = (await service.get(`/holders/position/mpt-${id}/${Account}`)).body;
        expect(at.balance).toBe(balance);
        const bounded = `limit=200&minBalance=${balance}&maxBalance=${balance}`;
        const same = (await service.get(`/holders/list/mpt-${id}?${bounded}`)).body.richList;
        expect(same.map(({ account }: { account: unknown }) => account)).toContain(Account);
      }
    }
    expect([...scales].some((scale) => scale > 0)).toBe(true);
  });
});

/** A whole number of smallest units as tokens, exact. */
function scaled(units: Json | undefined, scale: number): string {
  const digits = String(units).padStart(scale + 1, '0');
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '');
  const whole = digits.slice(0, digits.length - scale);
  return scale === 0 || fraction === '' ? whole : `${whole}.${fraction}`;
}

/** The whole state of the newest ledger. */
function* stateOf({ ask }: Embedded): Generator<JsonObject, void, undefined> {
  for (let marker: Json | undefined, first = true; first || marker !== undefined; first = false) {
    const page: JsonObject = ask('ledger_data', {
      ledger_index: 'validated',
      limit: 256,
      ...(marker === undefined ? {} : { marker }),
    });
    yield* page.state as JsonObject[];
    marker = page.marker;
  }
}
