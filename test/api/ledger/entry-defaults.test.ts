/** New entries whose fields hold zeros, which metadata leaves out: as the node shows them, field for field. */
import { expect, test } from 'bun:test';
import { RIPPLE_EPOCH } from '../../../engine/ripple-time.ts';
import { affectedNodes } from '../../../sandbox/ledger/indexing.ts';
import { askerOf, engineOf } from '../../embedded.ts';
import { NetworkRig } from '../../sandbox/node/network-rig.ts';
import { asker } from '../routes/ask.ts';

const hex = (text: string): string => Buffer.from(text).toString('hex').toUpperCase();

test('tags of zero, pages of directories, document number zero, sequence zero', async () => {
  const rig = new NetworkRig();
  const ledgers = [rig.network.closed];
  const [ann, ben, bank] = rig.fund(['ann', 'ben', 'bank'], '5000000000');
  ledgers.push(rig.network.closed);
  const amount = (value: string) => ({ currency: 'USD', issuer: bank!.address, value });
  const does = (who: typeof ann, TransactionType: string, fields: Record<string, unknown>): void => {
    expect(rig.submit(who!, { TransactionType, ...fields }).result).toBe('tesSUCCESS');
  };
  const close = (): void => {
    ledgers.push(rig.close());
  };
  const Destination = ben!.address;
  const tags = { SourceTag: 0, DestinationTag: 0 };
  // Ripple epoch seconds: later than any ledger here.
  const later = rig.time + 10_000;

  does(bank, 'AccountSet', { SetFlag: 8 });
  does(bank, 'AccountSet', { SetFlag: 17 });
  close();
  for (const who of [ann, ben]) does(who, 'TrustSet', { LimitAmount: amount('1000000') });
  close();
  does(bank, 'Payment', { Destination: ann!.address, Amount: amount('5000') });
  close();
  does(ann, 'CheckCreate', { Destination, SendMax: '1000', ...tags, InvoiceID: '0'.repeat(64) });
  does(ann, 'CheckCreate', { Destination, SendMax: amount('3') });
  does(ann, 'EscrowCreate', { Destination, Amount: '1000', FinishAfter: later, ...tags });
  does(ann, 'EscrowCreate', { Destination: ann!.address, Amount: '1000', FinishAfter: later });
  does(ann, 'EscrowCreate', {
    Destination,
    Amount: amount('7'),
    FinishAfter: later,
    CancelAfter: later + 10,
  });
  does(ann, 'EscrowCreate', {
    Destination: ann!.address,
    Amount: amount('7'),
    FinishAfter: later,
    CancelAfter: later + 10,
  });
  does(ann, 'PaymentChannelCreate', {
    Destination,
    Amount: '1000',
    SettleDelay: 0,
    PublicKey: ann!.publicKey,
    ...tags,
  });
  close();
  does(ann, 'CredentialCreate', { Subject: Destination, CredentialType: 'AB' });
  does(ann, 'CredentialCreate', { Subject: ann!.address, CredentialType: 'AB' });
  does(ann, 'OracleSet', {
    OracleDocumentID: 0,
    Provider: hex('provider'),
    AssetClass: hex('currency'),
    LastUpdateTime: rig.time + RIPPLE_EPOCH,
    PriceDataSeries: [{ PriceData: { BaseAsset: 'XRP', QuoteAsset: 'USD', AssetPrice: '2E4', Scale: 3 } }],
  });
  does(ann, 'MPTokenIssuanceCreate', { AssetScale: 0, Flags: 0x20 });
  does(ann, 'AMMCreate', { Amount: '1000000', Amount2: amount('100'), TradingFee: 0, Fee: '200000' });
  close();

  const service = asker(await engineOf(ledgers));
  const ask = askerOf(rig.network);
  const types = new Set<string>();
  for (const ledger of ledgers)
    for (const { metaFields } of ledger.transactions)
      for (const { kind, type, key } of affectedNodes(metaFields)) {
        if (kind !== 'CreatedNode' || type === 'DirectoryNode') continue;
        const { status, body } = await service.get(`/ledger/entry?index=${key}`);
        expect(status).toBe(200);
        const { node } = ask('ledger_entry', { index: key, ledger_index: 'validated' });
        expect(body.node).toEqual(node);
        types.add(type);
      }
  expect([...types].sort()).toEqual([
    'AMM',
    'AccountRoot',
    'Check',
    'Credential',
    'Escrow',
    'MPTokenIssuance',
    'Oracle',
    'PayChannel',
    'RippleState',
  ]);
});
