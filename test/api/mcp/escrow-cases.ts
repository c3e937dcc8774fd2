/** Escrows as a tool lists them: those of the embedded network's ledger, and those of a node that holds tokens in escrow. */
import { expect, test } from 'bun:test';
import { currencyName } from '../../../engine/codec/currency.ts';
import type { JsonObject } from '../../../engine/codec/json.ts';
import type { Source } from '../../../engine/ledger/source.ts';
import { Network } from '../../../views/network.ts';
import type { Embedded } from '../../embedded.ts';
import { asker, type Json } from '../routes/ask.ts';

interface Asked {
  readonly net: () => Embedded;
  /** Entries of the ledger. */
  readonly ofType: (type: string) => JsonObject[];
  readonly answer: (name: string, sent: object) => Promise<Json>;
}

const xrpOf = ({ Amount }: JsonObject) => Number(Amount) / 1e6;

export function escrowTests({ net, ofType, answer }: Asked): void {
  const inXrp = () => ofType('Escrow').filter(({ Amount }) => typeof Amount === 'string');

  test('of the network are all those of the ledger, with their sums', async () => {
    const found = await answer('get_escrows', { limit: 100, sort: 'amount' });
    const truth = inXrp();
    expect(truth.length).toBeGreaterThan(0);
    expect([found.total, found.truncated]).toEqual([truth.length, undefined]);
    expect(found.amount).toBeCloseTo(
      truth.reduce((sum, one) => sum + xrpOf(one), 0),
      6,
    );
    const key = (owner: unknown, destination: unknown, amount: unknown) =>
      `${owner} ${destination} ${amount}`;
    expect(found.escrows.map((one: Json) => key(one.owner, one.destination, one.amount)).toSorted()).toEqual(
      truth.map((one) => key(one.Account, one.Destination, xrpOf(one))).toSorted(),
    );
  });

  test('of an account are those that it owns, or that are for it', async () => {
    const [first] = inXrp();
    const owner = first!.Account;
    const owned = inXrp().filter(({ Account }) => Account === owner);
    expect((await answer('get_escrows', { account: owner, role: 'owner' })).total).toBe(owned.length);
    const { total } = await answer('get_escrows', { account: first!.Destination, role: 'destination' });
    expect(total).toBe(inXrp().filter(({ Destination }) => Destination === first!.Destination).length);
    expect(answer('get_escrows', { history_days: 3 })).rejects.toThrow('needs an account');
    expect(answer('get_escrows', { account: 'nobody' })).rejects.toThrow('Check the address');
  });

  test('of tokens are in tokens, and found by code, by id and by MPT', async () => {
    const { tokens, accounts } = net().engine.state;
    const ids = Array.from({ length: tokens.count }, (_, id) => id);
    const mpt = ids.find((id) => tokens.assetScale[id]! > 0)!;
    const token = ids.find((id) => tokens.currencyText(id).length === 40);
    const owner = accounts.text(1);
    const escrow = (Amount: object) => ({
      ...{
        LedgerEntryType: 'Escrow',
        Account: owner,
        Destination: owner,
        Amount,
        FinishAfter: 1,
        Sequence: 1,
      },
    });
    const issue = { currency: tokens.currencyText(token!), issuer: tokens.issuerText(token!) };
    const state = [
      escrow({ mpt_issuance_id: tokens.currencyText(mpt), value: '1234567' }),
      escrow({ ...issue, value: '7.5' }),
      escrow({ ...issue, issuer: owner, value: '2' }),
    ];
    const source = { range: () => undefined, latest: () => undefined, request: async () => ({ state }) };
    const other = asker(new Network({ engine: net().engine, source: source as unknown as Source }));
    const found = async (currency: string) => {
      const params = { name: 'get_escrows', arguments: { currency } };
      const { body } = await other.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      const { total, amount, escrows } = body.result.structuredContent;
      return [total, amount, escrows.map((one: Json) => one.issuer)];
    };
    const inTokens = Number(`1234567e-${tokens.assetScale[mpt]}`);
    for (const id of [tokens.currencyText(mpt), tokens.md5(mpt)])
      expect(await found(id)).toEqual([1, inTokens, [undefined]]);
    expect(await found(`${issue.issuer}-${issue.currency}`)).toEqual([1, 7.5, [issue.issuer]]);
    for (const code of [issue.currency, issue.currency.toLowerCase(), currencyName(issue.currency)])
      expect(await found(code)).toEqual([2, 9.5, [issue.issuer, owner]]);
    expect(await found('xrp')).toEqual([0, 0, []]);
  });
}
