/**
 * A ledger with entries of all kinds that the reading commands show, made by real transactions, and a client for it.
 * `state()` returns `ledger_data` of the same ledger: answers are compared with a search through all of it.
 */
import { expect } from 'bun:test';
import type { Client } from 'xrpl';
import { RIPPLE_EPOCH } from '../../../engine/ripple-time.ts';
import type { ParsedTransaction } from '../../../sandbox/apply/environment.ts';
import type { ClosedLedger } from '../../../sandbox/ledger/ledger.ts';
import type { TestAccount } from '../rig.ts';
import { ListenerRig, type Reply } from './listener-rig.ts';
import { GENESIS } from './network-rig.ts';

export type { Reply };
export type Entry = Reply & { readonly LedgerEntryType: string; readonly index: string };

const NAMES = ['issuer', 'alice', 'bob', 'carol', 'hot', 'dave', 'oracle1', 'oracle2', 'oracle3'] as const;
type Name = (typeof NAMES)[number];

export const CREDENTIAL_TYPE = 'ABCD';
export const text = (value: string): string => Buffer.from(value).toString('hex').toUpperCase();

export class ReadsRig extends ListenerRig {
  readonly accounts = Object.fromEntries(NAMES.map((name) => [name, this.account(name)])) as Record<
    Name,
    TestAccount
  >;
  readonly holders = Array.from({ length: 13 }, (_, i) => this.account(`holder${i}`));
  readonly ids = { mpt: '', nft: '', burnt: '', sold: '', vault: '' };
  #waiting: ParsedTransaction[] = [];

  /** Builds a rig, with a client and its state. */
  static async open(): Promise<{ rig: ReadsRig; client: Client; state: Entry[] }> {
    const rig = new ReadsRig().build();
    return { rig, client: await rig.client(), state: await rig.state() };
  }

  /** Adds a transaction to the next ledger, where it must succeed. */
  does(account: TestAccount, TransactionType: string, json: Reply = {}): ParsedTransaction {
    const parsed = this.inSeries(account, { TransactionType, ...json });
    this.#waiting.push(parsed);
    return parsed;
  }

  /** Closes a ledger with the waiting transactions. */
  next(): ClosedLedger {
    this.time += 4;
    const { ledger } = this.network.build(this.#waiting, this.time);
    const results = ledger.transactions.map(({ fields, metaFields }) => [
      fields.TransactionType,
      metaFields.TransactionResult,
    ]);
    expect(results.filter(([, code]) => code !== 0)).toEqual([]);
    expect(results.length).toBe(this.#waiting.length);
    this.#waiting = [];
    return ledger;
  }

  amount(value: string | number, currency = 'USD', issuer = this.accounts.issuer) {
    return { currency, issuer: issuer.address, value: String(value) };
  }

  /** Members of the answer, or of the error. */
  async ask(method: string, params: Reply = {}, version: 1 | 2 = 1): Promise<Reply> {
    return this.rpc(method, { ...params, api_version: version });
  }

  /** As `ask`; the command must succeed. */
  async read(method: string, params: Reply = {}, version: 1 | 2 = 1): Promise<Reply> {
    const answer = await this.ask(method, { ledger_index: 'validated', ...params }, version);
    if (answer.status !== 'success') throw new Error(`${method}: ${JSON.stringify(answer)}`);
    return answer;
  }

  /** All pages of an answer, their lists joined. */
  async pages(method: string, list: string, params: Reply): Promise<{ rows: Entry[]; pages: number }> {
    const rows: Entry[] = [];
    let marker: unknown;
    let pages = 0;
    do {
      const more: Reply = marker === undefined ? {} : { marker };
      const answer = await this.read(method, { ...params, ...more });
      rows.push(...(answer[list] as Entry[]));
      marker = answer.marker;
      pages++;
    } while (marker !== undefined && pages < 200);
    return { rows, pages };
  }

  /** Every entry of the validated ledger, by `ledger_data`. */
  async state(): Promise<Entry[]> {
    return (await this.pages('ledger_data', 'state', {})).rows;
  }

  /** Builds the ledger. */
  build(): this {
    this.#fund();
    this.#lines();
    this.#markets();
    this.#nfts();
    this.#objects();
    this.#oracles();
    return this;
  }

  #fund(): void {
    for (const { address } of [...Object.values(this.accounts), ...this.holders])
      this.does(GENESIS, 'Payment', { Destination: address, Amount: '1000000000' });
    this.next();
  }

  #lines(): void {
    const { issuer, alice, bob, carol, hot, dave } = this.accounts;
    this.does(issuer, 'AccountSet', { SetFlag: 8, TransferRate: 1_010_000_000 });
    this.next();
    for (const person of [alice, bob, carol, hot])
      this.does(person, 'TrustSet', { LimitAmount: this.amount(1_000_000) });
    for (let i = 0; i < 25; i++)
      this.does(alice, 'TrustSet', { LimitAmount: this.amount(100 + i, `A${10 + i}`) });
    this.does(bob, 'TrustSet', {
      LimitAmount: this.amount(7, 'EUR'),
      Flags: 0x20000,
      QualityIn: 1_100_000_000,
    });
    this.does(issuer, 'TrustSet', { LimitAmount: this.amount(50, 'BRL', dave) });
    this.next();
    for (const [person, value] of [
      [alice, 5000],
      [bob, 300],
      [carol, 40],
      [hot, 900],
    ] as const)
      this.does(issuer, 'Payment', { Destination: person.address, Amount: this.amount(value) });
    this.does(issuer, 'Payment', { Destination: alice.address, Amount: this.amount(12, 'A11') });
    this.does(dave, 'Payment', { Destination: issuer.address, Amount: this.amount(3, 'BRL', dave) });
    this.next();
    this.does(issuer, 'TrustSet', { LimitAmount: this.amount(0, 'USD', carol), Flags: 0x100000 });
    this.next();
  }

  #markets(): void {
    const { issuer, alice, bob, hot } = this.accounts;
    for (let i = 0; i < 14; i++)
      this.does(alice, 'OfferCreate', {
        TakerPays: String(1_000_000 * (100 + i)),
        TakerGets: this.amount(50),
      });
    // More than the owner's funds: the second is funded in part, the others not at all.
    for (let i = 0; i < 4; i++)
      this.does(bob, 'OfferCreate', { TakerPays: String(1_000_000 * (90 + i)), TakerGets: this.amount(200) });
    this.does(issuer, 'OfferCreate', { TakerPays: '150000000', TakerGets: this.amount(70) });
    this.does(bob, 'OfferCreate', {
      TakerPays: this.amount(100),
      TakerGets: '9000000',
      Expiration: this.time + 10_000,
    });
    this.next();
    // Crosses the best offer in part.
    this.does(hot, 'OfferCreate', { TakerPays: this.amount(20), TakerGets: '10000000', Flags: 0x20000 });
    this.does(alice, 'AMMCreate', {
      Amount: '50000000',
      Amount2: this.amount(100),
      TradingFee: 500,
      Fee: '200000',
    });
    this.next();
    const asset2 = { currency: 'USD', issuer: issuer.address };
    this.does(alice, 'AMMVote', { Asset: { currency: 'XRP' }, Asset2: asset2, TradingFee: 600 });
    this.does(bob, 'AMMDeposit', {
      Asset: { currency: 'XRP' },
      Asset2: asset2,
      Amount: '5000000',
      Flags: 0x80000,
    });
    this.next();
  }

  #nfts(): void {
    const { alice, bob, carol } = this.accounts;
    const minted = Array.from({ length: 45 }, (_, i) =>
      this.does(alice, 'NFTokenMint', {
        NFTokenTaxon: i % 3,
        Flags: 8 | 16,
        TransferFee: i,
        ...(i % 2 ? { URI: text(`nft ${i}`) } : {}),
      }),
    );
    const ledger = this.next();
    const idOf = (made: ParsedTransaction): string => {
      const { transaction } = this.network.ledgers.transaction(made.hash)!;
      expect(transaction.hashText).toBe(made.hash);
      return this.#mintedIn(ledger, made);
    };
    const [nft, burnt, sold] = [idOf(minted[0]!), idOf(minted[1]!), idOf(minted[2]!)];
    Object.assign(this.ids, { nft, burnt, sold });
    for (let i = 0; i < 60; i++)
      this.does(bob, 'NFTokenCreateOffer', {
        NFTokenID: nft,
        Owner: alice.address,
        Amount: String(1000 + i),
      });
    this.does(alice, 'NFTokenCreateOffer', {
      NFTokenID: nft,
      Amount: '777',
      Flags: 1,
      Destination: carol.address,
    });
    this.does(alice, 'NFTokenBurn', { NFTokenID: burnt });
    const sale = this.does(alice, 'NFTokenCreateOffer', { NFTokenID: sold, Amount: '500', Flags: 1 });
    const offers = this.next();
    const offer = offers.transactions.find(({ hashText }) => hashText === sale.hash)!;
    const { LedgerIndex } = offer.metaFields.AffectedNodes!.flatMap(({ CreatedNode }) =>
      (CreatedNode as { LedgerEntryType?: string })?.LedgerEntryType === 'NFTokenOffer' ? [CreatedNode!] : [],
    )[0]!;
    this.does(carol, 'NFTokenAcceptOffer', { NFTokenSellOffer: LedgerIndex });
    this.next();
    this.does(alice, 'NFTokenModify', { NFTokenID: sold, Owner: carol.address, URI: text('changed') });
    this.next();
  }

  /** The only new id with the transaction's serial: its issuer counts them up. */
  #mintedIn(ledger: ClosedLedger, made: ParsedTransaction): string {
    const mints = ledger.transactions.filter(({ fields }) => fields.TransactionType === 'NFTokenMint');
    const serials = mints
      .map(({ hashText, fields }) => ({ hashText, sequence: fields.Sequence }))
      .sort((a, b) => a.sequence - b.sequence);
    const at = serials.findIndex(({ hashText }) => hashText === made.hash);
    const ids = [...ledger.state.tree.items()]
      .flatMap(({ entry }) => entry.NFTokens ?? [])
      .map(({ NFToken }) => NFToken!.NFTokenID!)
      .sort((a, b) => Number.parseInt(a.slice(56), 16) - Number.parseInt(b.slice(56), 16));
    return ids[at]!;
  }

  #objects(): void {
    const { alice, bob, carol, dave, hot } = this.accounts;
    for (let i = 0; i < 12; i++)
      this.does(alice, 'PaymentChannelCreate', {
        Destination: (i % 3 ? bob : carol).address,
        Amount: String(1000 + i),
        SettleDelay: 60 + i,
        PublicKey: alice.publicKey,
        ...(i % 2 ? { CancelAfter: this.time + 1000 + i, DestinationTag: i } : {}),
      });
    this.does(alice, 'SignerListSet', {
      SignerQuorum: 1,
      SignerEntries: [{ SignerEntry: { Account: bob.address, SignerWeight: 1 } }],
    });
    this.does(alice, 'CheckCreate', { Destination: bob.address, SendMax: '1000' });
    this.does(alice, 'EscrowCreate', {
      Destination: bob.address,
      Amount: '2000',
      FinishAfter: this.time + 100,
    });
    this.does(alice, 'DIDSet', { Data: 'AB' });
    this.does(alice, 'DelegateSet', {
      Authorize: bob.address,
      Permissions: [{ Permission: { PermissionValue: 'Payment' } }],
    });
    this.does(alice, 'AccountSet', {
      EmailHash: '98B4375E1D753E5B91627516F6D70977',
      Domain: text('a.example'),
    });
    const issuance = this.does(dave, 'MPTokenIssuanceCreate', {
      Flags: 0x20 | 0x10,
      AssetScale: 2,
      MaximumAmount: '9000',
    });
    this.ids.mpt = issuance.fields.Sequence.toString(16).toUpperCase().padStart(8, '0') + dave.id;
    this.does(dave, 'VaultCreate', { Asset: { currency: 'XRP' }, Fee: '200000' });
    this.does(hot, 'CredentialCreate', { Subject: carol.address, CredentialType: CREDENTIAL_TYPE });
    this.does(hot, 'PermissionedDomainSet', {
      AcceptedCredentials: [{ Credential: { Issuer: hot.address, CredentialType: CREDENTIAL_TYPE } }],
    });
    // The last transaction of this account: its next sequence is three higher.
    this.does(hot, 'TicketCreate', { TicketCount: 3 });
    this.next();
    this.does(carol, 'CredentialAccept', { Issuer: hot.address, CredentialType: CREDENTIAL_TYPE });
    this.does(bob, 'AccountSet', { SetFlag: 9 });
    this.does(bob, 'DepositPreauth', { Authorize: alice.address });
    this.does(bob, 'DepositPreauth', {
      AuthorizeCredentials: [{ Credential: { Issuer: hot.address, CredentialType: CREDENTIAL_TYPE } }],
    });
    for (const holder of this.holders)
      this.does(holder, 'MPTokenAuthorize', { MPTokenIssuanceID: this.ids.mpt });
    this.next();
    for (const [i, holder] of this.holders.entries())
      this.does(dave, 'Payment', {
        Destination: holder.address,
        Amount: { mpt_issuance_id: this.ids.mpt, value: String(10 + i) },
      });
    this.next();
  }

  #oracles(): void {
    const price = (AssetPrice: string, BaseAsset = 'XRP') => ({
      PriceData: { BaseAsset, QuoteAsset: 'USD', AssetPrice, Scale: 3 },
    });
    const publishPrices = (who: TestAccount, list: Reply[], ago = 0): void => {
      this.does(who, 'OracleSet', {
        OracleDocumentID: 1,
        Provider: text('provider'),
        AssetClass: text('currency'),
        LastUpdateTime: this.time + RIPPLE_EPOCH - ago,
        PriceDataSeries: list,
      });
    };
    const { oracle1, oracle2, oracle3 } = this.accounts;
    publishPrices(oracle1, [price('2E4')], 100);
    publishPrices(oracle2, [price('2F8')], 50);
    publishPrices(oracle3, [price('320'), price('64', 'BTC')]);
    this.next();
    // The newest state of the third oracle has no price of the pair: the one before it counts.
    publishPrices(oracle3, [price('65', 'BTC'), { PriceData: { BaseAsset: 'XRP', QuoteAsset: 'USD' } }]);
    this.next();
  }
}
