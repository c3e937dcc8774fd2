/**
 * A network of other amendments and of another id than the usual, and the public `xrpl` package connected to it: transactions
 * that do not name the network, pages as short as they are asked for, rules that follow the amendments.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Wallet } from 'xrpl';
import { chosenAmendments } from '../sandbox/protocol/amendment-choice.ts';
import { SANDBOX_RULES } from '../sandbox/protocol/amendments.ts';
import { type Answer, ClientRig } from './sandbox-client-rig.ts';

const without = (...names: readonly string[]): string =>
  [...SANDBOX_RULES.names].filter((name) => !names.includes(name)).join();
const opened = (list: string) => ClientRig.open({ networkId: 0, amendments: chosenAmendments(list).ids });

/** XRP and USD in a pool of an issuer and a provider. */
async function pool(
  rig: ClientRig,
): Promise<{ owner: Wallet; usd: Answer; reserves: () => Promise<Answer> }> {
  const [issuer, owner] = (await rig.funded(1_000, 1_000)) as [Wallet, Wallet];
  const usd = { currency: 'USD', issuer: issuer.address };
  await rig.does(issuer, { TransactionType: 'AccountSet', SetFlag: 8 });
  await rig.does(owner, { TransactionType: 'TrustSet', LimitAmount: { ...usd, value: '1000' } });
  await rig.does(issuer, {
    TransactionType: 'Payment',
    Destination: owner.address,
    Amount: { ...usd, value: '500' },
  });
  await rig.does(owner, {
    TransactionType: 'AMMCreate',
    Amount: '250',
    Amount2: { ...usd, value: '250' },
    TradingFee: 0,
  });
  const asked = { asset: { currency: 'XRP' }, asset2: usd };
  return { owner, usd, reserves: async () => (await rig.ask('amm_info', asked)).amm };
}

describe('a network of an id that transactions do not name', () => {
  let rig: ClientRig;

  beforeAll(async () => {
    rig = await opened(`${without()},DynamicMPT`);
  });

  afterAll(() => rig.close());

  test('has the package leave the id out', async () => {
    expect(rig.client.networkID).toBe(0);
    const [ann] = (await rig.funded(100)) as [Wallet];
    const { tx_json } = await rig.does(ann, { TransactionType: 'AccountSet', Domain: '6578616D706C65' });
    expect(tx_json.NetworkID).toBeUndefined();
    expect(await rig.submit(ann, { TransactionType: 'AccountSet', NetworkID: 52_168 })).toMatchObject({
      engine_result: 'telNETWORK_ID_MAKES_TX_NON_CANONICAL',
    });
  });

  test('gives NFTs and their offers in pages of one', async () => {
    const [ann, ben] = (await rig.funded(1_000, 1_000)) as [Wallet, Wallet];
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) {
      const { meta } = await rig.does(ann, { TransactionType: 'NFTokenMint', NFTokenTaxon: i, Flags: 8 });
      ids.push(meta.nftoken_id);
    }
    const [nft] = ids;
    for (const Amount of ['5', '6', '7']) {
      await rig.does(ann, { TransactionType: 'NFTokenCreateOffer', NFTokenID: nft, Amount, Flags: 1 });
      const bid = { TransactionType: 'NFTokenCreateOffer', NFTokenID: nft, Amount, Owner: ann.address };
      await rig.does(ben, bid);
    }
    const pages = async (command: string, rows: string, params: Answer): Promise<Answer[]> => {
      const found: Answer[][] = [];
      for (let marker: unknown; found.length === 0 || marker !== undefined; ) {
        const page = await rig.ask(command, { limit: 1, ...params, ...(marker ? { marker } : {}) });
        found.push(page[rows]);
        marker = page.marker;
      }
      expect(found.map(({ length }) => length).slice(0, 3)).toEqual([1, 1, 1]);
      return found.flat();
    };
    const nfts = await pages('account_nfts', 'account_nfts', { account: ann.address });
    expect(nfts.map(({ NFTokenID }) => NFTokenID).sort()).toEqual(ids.sort());
    for (const command of ['nft_sell_offers', 'nft_buy_offers']) {
      const offers = await pages(command, 'offers', { nft_id: nft });
      expect(offers.map(({ amount }) => amount).sort()).toEqual(['5', '6', '7']);
    }
  });

  test('has the chosen amendment in addition to the usual ones: MPTs that change', async () => {
    const [ann] = (await rig.funded(1_000)) as [Wallet];
    const { meta } = await rig.does(ann, { TransactionType: 'MPTokenIssuanceCreate', ImmutableFlags: 2 });
    const set = { TransactionType: 'MPTokenIssuanceSet', MPTokenIssuanceID: meta.mpt_issuance_id };
    await rig.does(ann, { ...set, Flags: 4 }, 'tecNO_PERMISSION');
    await rig.does(ann, { ...set, Flags: 64, TransferFee: 200, MPTokenMetadata: '7B7D' });
    const { account_objects } = await rig.ask('account_objects', {
      account: ann.address,
      type: 'mpt_issuance',
    });
    expect(account_objects).toMatchObject([
      { Flags: 32, ImmutableFlags: 2, TransferFee: 200, MPTokenMetadata: '7B7D' },
    ]);
  });
});

describe('rules follow the amendments', () => {
  test('transactions of a missing one are disabled', async () => {
    const rig = await opened(without('DID'));
    const [ann] = (await rig.funded(100)) as [Wallet];
    const set = await rig.submit(ann, { TransactionType: 'DIDSet', Data: 'AB' });
    expect(set.engine_result).toBe('temDISABLED');
    await rig.close();
  });

  test('pools round in favour of themselves since fixAMMv1_3, and to the nearest drop before', async () => {
    const taken: number[] = [];
    for (const list of [without(), without('fixAMMv1_3')]) {
      const rig = await opened(list);
      const { owner, usd, reserves } = await pool(rig);
      const before = await reserves();
      const one = { Asset: { currency: 'XRP' }, Asset2: usd };
      const LPTokenOut = { ...before.lp_token, value: '5' };
      // tfOneAssetLPToken
      await rig.does(owner, {
        TransactionType: 'AMMDeposit',
        ...one,
        Amount: '100',
        LPTokenOut,
        Flags: 0x20_0000,
      });
      taken.push(Number((await reserves()).amount) - Number(before.amount));
      await rig.close();
    }
    // XLS-30, equation 4, without a trading fee: what 5 of 250 LP tokens cost in drops.
    const cost = 250 * ((1 + 5 / 250) ** 2 - 1);
    expect(cost).toBeCloseTo(10.1);
    expect(taken).toEqual([Math.ceil(cost), Math.round(cost)]);
  });
});
