/** What tools read of payments of before 2014, of which nodes do not know what they delivered. */
import { expect, test } from 'bun:test';
import { transactionsOf, xrpPayments } from '../../../api/mcp/account-transactions.ts';
import type { ToolContext } from '../../../api/mcp/tool.ts';
import { accountTools } from '../../../api/mcp/tools/accounts.ts';
import { issuerTools } from '../../../api/mcp/tools/issuers.ts';

/** tfPartialPayment */
const IN_PART = 0x20000;
const [PAYER, PAID] = ['rhub8VRN55s94qWKDv6jmDy1pUykJzF3wq', 'rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B'];
const issued = { currency: 'USD', issuer: PAYER, value: '7' };

const txs = [
  { DeliverMax: '5000000', Flags: 0 },
  { DeliverMax: '9000000', Flags: IN_PART },
  { DeliverMax: issued, Flags: 0 },
].map((fields, i) => ({
  hash: String(i).repeat(64),
  close_time_iso: '2013-06-01T00:00:00Z',
  tx_json: { TransactionType: 'Payment', Account: PAYER, Destination: PAID, Fee: '10', ...fields },
  meta: { TransactionResult: 'tesSUCCESS', AffectedNodes: [], delivered_amount: 'unavailable' },
}));

const context = {
  call: async () => ({ txs, hasMore: false, marker: null }),
  network: { engine: { state: { tokens: { mptPlaces: () => 0 } } } },
} as unknown as ToolContext;

test('sums have those that deliver all they name, and leave out those that may have delivered less', async () => {
  const payments = xrpPayments(await transactionsOf(context, PAYER, 10));
  expect(payments.map(({ xrp }) => xrp)).toEqual([5]);
});

test('rows say what is known', async () => {
  const { run } = accountTools.find(({ name }) => name === 'get_account_transactions')!;
  const { transactions } = await run!({ account: PAYER, limit: 10, order: 'newest' } as never, context);
  const delivered = (transactions as { delivered?: unknown }[]).map((row) => row.delivered);
  expect(delivered).toEqual([5, undefined, '7 USD']);
});

test('tokens that an issuer made count', async () => {
  const { run } = issuerTools.find(({ name }) => name === 'get_issuer_actions')!;
  const { actions } = await run!({ account: PAYER, supply: true, limit: 10 } as never, context);
  expect(actions).toMatchObject([{ action: 'issue', holder: PAID, currency: 'USD', amount: '7' }]);
});
