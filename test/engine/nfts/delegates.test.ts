/**
 * Sales that a broker makes with a delegate, who pays the network's fee (XLS-75): royalties to the drop where the issuer is the
 * broker, and where it is the delegate.
 */
import { expect, test } from 'bun:test';
import { decode } from 'ripple-binary-codec';
import { dropsOf } from '../../../engine/codec/amount.ts';
import { bytesOf, hexOf } from '../../../engine/codec/bytes.ts';
import { Engine } from '../../../engine/engine.ts';
import { NftEventReader, NftEventType } from '../../../engine/nfts/event-record.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { quiet } from '../../live-rig.ts';
import { NetworkRig } from '../../sandbox/node/network-rig.ts';
import type { TestAccount } from '../../sandbox/rig.ts';
import { follow } from './random-nfts.ts';

/** tfTransferable */
const FLAGS = 8;
const TRANSFER_FEE = 5000;
const ASKED = 1_000_000;
const BID = 3_000_000;
const BROKER_FEE = 200_000;
/** rippled pays the broker first, then the issuer its share of the rest. */
const ROYALTY = ((BID - BROKER_FEE) * TRANSFER_FEE) / 100_000;

test.each(['broker', 'delegate'] as const)('the issuer is the %s', async (role) => {
  const rig = new NetworkRig();
  rig.network.ledgers.commitEvery = 1;
  const engine = new Engine({ store: new MemoryStore(), log: quiet });
  const [issuer, seller, buyer, other] = rig.fund(['issuer', 'seller', 'buyer', 'other']) as [
    TestAccount,
    TestAccount,
    TestAccount,
    TestAccount,
  ];
  await follow(engine, rig.network.closed);
  const close = async (account: TestAccount, json: Record<string, unknown>) => {
    rig.submit(account, json);
    return follow(engine, rig.close());
  };
  const created = (packed: Awaited<ReturnType<typeof close>>): string => {
    const { AffectedNodes } = decode(hexOf(packed.meta(0))) as unknown as {
      AffectedNodes: Record<string, Record<string, string>>[];
    };
    const nodes = AffectedNodes.map((node) => Object.values(node)[0]!);
    return nodes.find(({ LedgerEntryType }) => LedgerEntryType === 'NFTokenOffer')!.LedgerIndex!;
  };
  await close(issuer, {
    TransactionType: 'NFTokenMint',
    NFTokenTaxon: 0,
    Flags: FLAGS,
    TransferFee: TRANSFER_FEE,
  });
  const NFTokenID = engine.nfts.nfts.idText(1);
  const gift = created(
    await close(issuer, { TransactionType: 'NFTokenCreateOffer', NFTokenID, Amount: '0', Flags: 1 }),
  );
  await close(seller, { TransactionType: 'NFTokenAcceptOffer', NFTokenSellOffer: gift });
  const sell = created(
    await close(seller, {
      TransactionType: 'NFTokenCreateOffer',
      NFTokenID,
      Amount: String(ASKED),
      Flags: 1,
    }),
  );
  const bid = {
    TransactionType: 'NFTokenCreateOffer',
    NFTokenID,
    Amount: String(BID),
    Owner: seller.address,
  };
  const buy = created(await close(buyer, bid));
  const [broker, delegate] = role === 'broker' ? [issuer, other] : [other, issuer];
  await close(broker, {
    TransactionType: 'DelegateSet',
    Authorize: delegate.address,
    Permissions: [{ Permission: { PermissionValue: 'NFTokenAcceptOffer' } }],
  });
  await close(delegate, {
    TransactionType: 'NFTokenAcceptOffer',
    Account: broker.address,
    Delegate: delegate.address,
    Sequence: rig.network.nextSequence(broker.id),
    NFTokenSellOffer: sell,
    NFTokenBuyOffer: buy,
    NFTokenBrokerFee: String(BROKER_FEE),
  });
  const event = new NftEventReader().load(engine.nfts.events.bytes);
  expect(engine.nfts.events.count).toBe(1);
  expect(event.type).toBe(NftEventType.sale);
  const drops = (amount: typeof event.price) => Number(dropsOf(amount!.hi, amount!.lo));
  expect([event.price, event.brokerFee, event.royalty].map(drops)).toEqual([BID, BROKER_FEE, ROYALTY]);
  expect(event.broker).toBe(engine.nfts.parties.find(bytesOf(broker.id), 0));
});
