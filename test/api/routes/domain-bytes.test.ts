/** Domains of accounts that are no text: their bytes are shown as the ledger has them. */
import { expect, test } from 'bun:test';
import { entryIndexBy } from '../../../api/ledger/entry-index.ts';
import { hexOf } from '../../../engine/codec/bytes.ts';
import { madeLedger, person } from '../../engine/market/made.ts';
import { newEngine } from '../../views/world.ts';
import { asker } from './ask.ts';

const root = (n: number, Domain: string | undefined) => ({
  CreatedNode: {
    LedgerEntryType: 'AccountRoot',
    LedgerIndex: hexOf(entryIndexBy.account_root!(person(n))),
    NewFields: { Account: person(n), Balance: '100000000', Sequence: 7, ...(Domain && { Domain }) },
  },
});

test('the domain of an account in hex is that of the ledger, whatever its bytes', async () => {
  const engine = newEngine();
  const domains = ['6578616D706C652E636F6D', 'EFBBBF61', 'FF00', undefined];
  const nodes = domains.map((domain, i) => root(i + 2, domain));
  const { packed, changes } = madeLedger(100, 800_000_000, [{ tx: { TransactionType: 'Payment' }, nodes }]);
  await engine.applyLedger({ packed, changes: changes.words }, true);
  await engine.drain();
  const ask = asker(engine);
  const shown = await Promise.all(
    domains.map(async (_, i) => (await ask.get(`/testnet/${person(i + 2)}`)).body),
  );
  expect(shown.map(({ domainHex }) => domainHex)).toEqual(domains.map((domain) => domain ?? null));
  expect([shown[0].domain, shown[2].domain, shown[3].domain]).toEqual(['example.com', null, null]);
});
