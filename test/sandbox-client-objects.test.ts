/** The public `xrpl` package on the embedded network: NFTs, escrows, checks, channels, signers, batches, tokens, vaults. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import {
  AccountSetAsfFlags,
  authorizeChannel,
  type Batch,
  type Client,
  convertStringToHex,
  decode,
  getNFTokenID,
  multisign,
  parseNFTokenID,
  signMultiBatch,
  verifyPaymentChannelClaim,
  Wallet,
} from 'xrpl';
import { type Answer, ClientRig, created, drops, FEE } from './sandbox-client-rig.ts';

let rig: ClientRig;
let client: Client;

beforeAll(async () => {
  rig = await ClientRig.open();
  client = rig.client;
});
afterAll(() => rig.close());

const pay = (to: Wallet, Amount: unknown, more: Answer = {}) => ({
  TransactionType: 'Payment',
  Destination: to.address,
  Amount,
  ...more,
});
/** Ripple epoch seconds on the network's clock, from now. */
const inSeconds = (seconds: number): number =>
  Math.floor(Date.now() / 1000) - 946_684_800 + rig.ahead + seconds;
const ownerCount = async ({ address }: Wallet): Promise<number> =>
  (await rig.ask('account_info', { account: address, ledger_index: 'validated' })).account_data.OwnerCount;

describe('NFTs', () => {
  test('minted, sold, sold on by a broker with a royalty, burned', async () => {
    const [artist, bob, carol, broker] = await rig.funded(500, 500, 500, 500);
    const minted = await rig.does(artist!, {
      TransactionType: 'NFTokenMint',
      NFTokenTaxon: 7,
      TransferFee: 10_000,
      URI: convertStringToHex('ipfs://one'),
      Flags: { tfTransferable: true, tfBurnable: true },
    });
    const id = getNFTokenID(minted.meta as never)!;
    expect(minted.meta.nftoken_id).toBe(id);
    expect(parseNFTokenID(id)).toMatchObject({
      Issuer: artist!.address,
      Taxon: 7,
      TransferFee: 10_000,
      Flags: 9,
    });
    const offer = async (wallet: Wallet, Amount: string, more: Answer): Promise<string> => {
      const made = await rig.does(wallet, {
        TransactionType: 'NFTokenCreateOffer',
        NFTokenID: id,
        Amount,
        ...more,
      });
      expect(made.meta.offer_id).toBe(created(made.meta, 'NFTokenOffer').LedgerIndex);
      return made.meta.offer_id;
    };
    const first = await offer(artist!, drops(10), { Flags: { tfSellNFToken: true } });
    const { offers } = await rig.ask('nft_sell_offers', { nft_id: id, ledger_index: 'validated' });
    expect(offers).toMatchObject([{ amount: drops(10), nft_offer_index: first, owner: artist!.address }]);
    const artistBefore = await rig.xrp(artist!);
    await rig.does(bob!, { TransactionType: 'NFTokenAcceptOffer', NFTokenSellOffer: first });
    // The issuer's own sale pays no royalty.
    expect(await rig.xrp(artist!)).toBe(artistBefore + 10_000_000);
    expect(await rig.xrp(bob!)).toBe(490_000_000 - FEE);

    const sell = await offer(bob!, drops(100), {
      Destination: broker!.address,
      Flags: { tfSellNFToken: true },
    });
    const buy = await offer(carol!, drops(120), { Owner: bob!.address });
    const before = await Promise.all([artist, bob, carol, broker].map((wallet) => rig.xrp(wallet!)));
    const sold = await rig.does(broker!, {
      TransactionType: 'NFTokenAcceptOffer',
      NFTokenSellOffer: sell,
      NFTokenBuyOffer: buy,
      NFTokenBrokerFee: drops(10),
    });
    expect(sold.meta.nftoken_id).toBe(id);
    // Carol pays 120; the broker has 10 of it; a tenth of the 110 left is the artist's.
    const after = await Promise.all([artist, bob, carol, broker].map((wallet) => rig.xrp(wallet!)));
    expect(after.map((now, i) => now - before[i]!)).toEqual([
      11_000_000,
      99_000_000,
      -120_000_000,
      10_000_000 - FEE,
    ]);
    const { account_nfts } = await rig.ask('account_nfts', {
      account: carol!.address,
      ledger_index: 'validated',
    });
    expect(account_nfts).toMatchObject([
      {
        NFTokenID: id,
        Issuer: artist!.address,
        NFTokenTaxon: 7,
        TransferFee: 10_000,
        nft_serial: 0 + account_nfts[0].nft_serial,
      },
    ]);
    expect(await ownerCount(carol!)).toBe(1);
    expect(await rig.ask('nft_info', { nft_id: id, ledger_index: 'validated' })).toMatchObject({
      owner: carol!.address,
      is_burned: false,
      transfer_fee: 10_000,
      nft_taxon: 7,
    });
    await rig.does(artist!, { TransactionType: 'NFTokenBurn', NFTokenID: id, Owner: carol!.address });
    expect(await ownerCount(carol!)).toBe(0);
    expect((await rig.ask('nft_info', { nft_id: id, ledger_index: 'validated' })).is_burned).toBe(true);
    const history = await rig.ask('nft_history', { nft_id: id });
    expect(history.transactions.map(({ tx, tx_json }: Answer) => (tx ?? tx_json).TransactionType)).toEqual([
      'NFTokenBurn',
      'NFTokenAcceptOffer',
      'NFTokenCreateOffer',
      'NFTokenCreateOffer',
      'NFTokenAcceptOffer',
      'NFTokenCreateOffer',
      'NFTokenMint',
    ]);
  });
});

describe('payments that are held back', () => {
  test('an escrow with a condition and times', async () => {
    const [ann, ben] = await rig.funded(100, 100);
    const preimage = Buffer.alloc(32, 7);
    // PREIMAGE-SHA-256 of the crypto-conditions draft, in DER by hand.
    const Condition = `A0258020${createHash('sha256').update(preimage).digest('hex')}810120`.toUpperCase();
    const Fulfillment = `A0228020${preimage.toString('hex')}`.toUpperCase();
    const made = await rig.does(ann!, {
      TransactionType: 'EscrowCreate',
      Destination: ben!.address,
      Amount: drops(25),
      Condition,
      FinishAfter: inSeconds(100),
      CancelAfter: inSeconds(10_000),
    });
    expect(await rig.xrp(ann!)).toBe(75_000_000 - FEE);
    const finish = {
      TransactionType: 'EscrowFinish',
      Owner: ann!.address,
      OfferSequence: made.tx_json.Sequence,
    };
    const cancel = { ...finish, TransactionType: 'EscrowCancel' };
    await rig.does(ben!, { ...finish, Condition, Fulfillment }, 'tecNO_PERMISSION');
    rig.ahead += 200;
    await rig.accept();
    const wrong = `A0228020${Buffer.alloc(32, 8).toString('hex')}`.toUpperCase();
    await rig.does(ben!, finish, 'tecCRYPTOCONDITION_ERROR');
    await rig.does(ben!, { ...finish, Condition, Fulfillment: wrong }, 'tecCRYPTOCONDITION_ERROR');
    await rig.does(ann!, cancel, 'tecNO_PERMISSION');
    const before = await rig.xrp(ben!);
    const done = await rig.does(ben!, { ...finish, Condition, Fulfillment });
    // 33 fees and one for each 16 bytes of the 36.
    expect(Number(done.tx_json.Fee)).toBeGreaterThanOrEqual(350);
    expect(await rig.xrp(ben!)).toBe(before + 25_000_000 - Number(done.tx_json.Fee));
    expect(await ownerCount(ann!)).toBe(0);
  });

  test('a check is cashed in part, another cancelled', async () => {
    const [ann, ben] = await rig.funded(100, 100);
    const made = await rig.does(ann!, {
      TransactionType: 'CheckCreate',
      Destination: ben!.address,
      SendMax: drops(30),
    });
    const CheckID = created(made.meta, 'Check').LedgerIndex;
    expect(await rig.xrp(ann!)).toBe(100_000_000 - FEE);
    await rig.does(ben!, { TransactionType: 'CheckCash', CheckID, Amount: drops(31) }, 'tecPATH_PARTIAL');
    await rig.does(ben!, { TransactionType: 'CheckCash', CheckID, Amount: drops(12) });
    expect(await rig.xrp(ann!)).toBe(88_000_000 - FEE);
    expect(await rig.xrp(ben!)).toBe(112_000_000 - 2 * FEE);
    const other = await rig.does(ann!, {
      TransactionType: 'CheckCreate',
      Destination: ben!.address,
      SendMax: '5',
    });
    await rig.does(ben!, {
      TransactionType: 'CheckCancel',
      CheckID: created(other.meta, 'Check').LedgerIndex,
    });
    const { account_objects } = await rig.ask('account_objects', {
      account: ann!.address,
      ledger_index: 'validated',
    });
    expect(account_objects).toEqual([]);
  });

  test('a payment channel pays by signed claims', async () => {
    const [ann, ben] = await rig.funded(100, 100);
    const made = await rig.does(ann!, {
      TransactionType: 'PaymentChannelCreate',
      Destination: ben!.address,
      Amount: drops(50),
      SettleDelay: 60,
      PublicKey: ann!.publicKey,
    });
    const Channel = created(made.meta, 'PayChannel').LedgerIndex;
    const { channels } = await rig.ask('account_channels', {
      account: ann!.address,
      ledger_index: 'validated',
    });
    expect(channels).toMatchObject([
      {
        channel_id: Channel,
        amount: drops(50),
        balance: '0',
        destination_account: ben!.address,
        settle_delay: 60,
      },
    ]);
    const Signature = authorizeChannel(ann!, Channel, drops(20));
    expect(verifyPaymentChannelClaim(Channel, '20', Signature, ann!.publicKey)).toBe(true);
    const verify = { channel_id: Channel, public_key: ann!.publicKey, signature: Signature };
    expect((await rig.ask('channel_verify', { ...verify, amount: drops(20) })).signature_verified).toBe(true);
    expect((await rig.ask('channel_verify', { ...verify, amount: drops(21) })).signature_verified).toBe(
      false,
    );
    const claim = { TransactionType: 'PaymentChannelClaim', Channel, PublicKey: ann!.publicKey, Signature };
    const too = await rig.submit(ben!, { ...claim, Balance: drops(21), Amount: drops(21) });
    expect(too.engine_result).toBe('temBAD_SIGNATURE');
    await rig.does(ben!, { ...claim, Balance: drops(20), Amount: drops(20) });
    expect(await rig.xrp(ben!)).toBe(120_000_000 - FEE);
    await rig.does(ann!, { TransactionType: 'PaymentChannelFund', Channel, Amount: drops(5) });
    await rig.does(ben!, { TransactionType: 'PaymentChannelClaim', Channel, Flags: { tfClose: true } });
    // 50 + 5 put in, 20 paid out, the rest is back.
    expect(await rig.xrp(ann!)).toBe(80_000_000 - 2 * FEE);
    expect(await ownerCount(ann!)).toBe(0);
  });
});

describe('ways to sign', () => {
  test('two of three sign, by both ways to submit', async () => {
    const [ann, ben, eve, dan] = await rig.funded(100, 100, 100, 100);
    await rig.does(ann!, {
      TransactionType: 'SignerListSet',
      SignerQuorum: 2,
      SignerEntries: [ben, eve, dan].map((each) => ({
        SignerEntry: { Account: each!.address, SignerWeight: 1 },
      })),
    });
    await rig.does(ann!, { TransactionType: 'AccountSet', SetFlag: AccountSetAsfFlags.asfDisableMaster });
    const tx = { Account: ann!.address, ...pay(ben!, drops(1)) };
    expect((await rig.submit(ann!, pay(ben!, '1'))).engine_result).toBe('tefMASTER_DISABLED');
    const before = await rig.xrp(ann!);
    const filled = await client.autofill(tx as never, 2);
    const signed = multisign([ben!.sign(filled, true).tx_blob, dan!.sign(filled, true).tx_blob]);
    const first = await rig.ask('submit_multisigned', { tx_json: decode(signed) });
    const { tx_json } = await rig.settled(first);
    expect(await rig.xrp(ann!)).toBe(before - 1_000_000 - Number(tx_json.Fee));
    const again = await client.autofill(tx as never, 2);
    const one = ben!.sign(again, true).tx_blob;
    expect((await client.submit(multisign([one]))).result.engine_result).toBe('tefBAD_QUORUM');
    await rig.settled(
      (await client.submit(multisign([one, eve!.sign(again, true).tx_blob]))).result as never,
    );
    expect(await rig.xrp(ben!)).toBe(102_000_000);
  });

  test('a regular key signs', async () => {
    const [ann, ben] = await rig.funded(100, 100);
    const key = Wallet.generate();
    await rig.does(ann!, { TransactionType: 'SetRegularKey', RegularKey: key.address });
    const filled = await client.autofill({ Account: ann!.address, ...pay(ben!, drops(2)) } as never);
    await rig.settled((await client.submit(key.sign(filled).tx_blob)).result as never);
    expect(await rig.xrp(ben!)).toBe(102_000_000);
    const next = await client.autofill({ Account: ann!.address, ...pay(ben!, drops(2)) } as never);
    const stranger = await client.submit(Wallet.generate().sign(next).tx_blob);
    expect(stranger.result.engine_result).toBe('tefBAD_AUTH');
  });

  test('tickets are used in any order, once', async () => {
    const [ann, ben] = await rig.funded(100, 100);
    const made = await rig.does(ann!, { TransactionType: 'TicketCreate', TicketCount: 3 });
    const first = made.tx_json.Sequence + 1;
    const { account_data } = await rig.ask('account_info', {
      account: ann!.address,
      ledger_index: 'validated',
    });
    expect(account_data).toMatchObject({ Sequence: first + 3, TicketCount: 3, OwnerCount: 3 });
    for (const TicketSequence of [first + 2, first])
      await rig.does(ann!, { ...pay(ben!, drops(1)), Sequence: 0, TicketSequence });
    const used = await rig.submit(ann!, { ...pay(ben!, drops(1)), Sequence: 0, TicketSequence: first });
    expect(used.engine_result).toBe('tefNO_TICKET');
    expect(await rig.xrp(ben!)).toBe(102_000_000);
    expect(await ownerCount(ann!)).toBe(1);
  });

  test('a batch of two accounts is applied completely or not at all', async () => {
    const [ann, ben, eve] = await rig.funded(100, 100, 100);
    const inner = (from: Wallet, xrp: number) => ({
      RawTransaction: { Account: from.address, ...pay(eve!, drops(xrp)), Flags: 0x40000000 },
    });
    const batch = async (second: number): Promise<Answer> => {
      const filled = await client.autofill(
        {
          TransactionType: 'Batch',
          Account: ann!.address,
          Flags: 0x00010000,
          RawTransactions: [inner(ann!, 3), inner(ben!, second)],
        } as never,
        1,
      );
      signMultiBatch(ben!, filled as Batch);
      return (await client.submit(ann!.sign(filled).tx_blob)).result as Answer;
    };
    const { tx_json, ledger_index } = await rig.settled(await batch(4));
    expect(await rig.xrp(eve!)).toBe(107_000_000);
    expect(await rig.xrp(ann!)).toBe(97_000_000 - Number(tx_json.Fee));
    expect(await rig.xrp(ben!)).toBe(96_000_000);
    const { ledger } = await rig.ask('ledger', { ledger_index, transactions: true });
    expect(ledger.transactions).toHaveLength(3);
    await rig.settled(await batch(98));
    expect(await rig.xrp(eve!)).toBe(107_000_000);
    expect(await rig.xrp(ben!)).toBe(96_000_000);
  });

  test('simulate returns what would happen, and changes nothing', async () => {
    const [ann, ben] = await rig.funded(100, 100);
    const would = (await client.simulate({
      Account: ann!.address,
      ...pay(ben!, drops(5)),
    } as never)) as Answer;
    expect(would.result).toMatchObject({ engine_result: 'tesSUCCESS', applied: false });
    expect(would.result.meta.delivered_amount).toBe(drops(5));
    const not = (await client.simulate({
      Account: ann!.address,
      ...pay(ben!, drops(500)),
    } as never)) as Answer;
    expect(not.result.engine_result).toBe('tecUNFUNDED_PAYMENT');
    await rig.accept();
    expect(await rig.xrp(ben!)).toBe(100_000_000);
  });
});

describe('tokens of other kinds', () => {
  test('an MPT with a transfer fee', async () => {
    const [issuer, ann, ben] = await rig.funded(100, 100, 100);
    const made = await rig.does(issuer!, {
      TransactionType: 'MPTokenIssuanceCreate',
      AssetScale: 2,
      MaximumAmount: '1000000',
      TransferFee: 1_000,
      Flags: { tfMPTCanTransfer: true },
    });
    const mpt_issuance_id = made.meta.mpt_issuance_id as string;
    expect(mpt_issuance_id).toHaveLength(48);
    const mpt = (value: number) => ({ mpt_issuance_id, value: String(value) });
    await rig.does(issuer!, pay(ann!, mpt(10_000)), 'tecNO_AUTH');
    for (const holder of [ann!, ben!])
      await rig.does(holder, { TransactionType: 'MPTokenAuthorize', MPTokenIssuanceID: mpt_issuance_id });
    await rig.does(issuer!, pay(ann!, mpt(1_000_001)), 'tecPATH_PARTIAL');
    await rig.does(issuer!, pay(ann!, mpt(10_000)));
    // A fee of 1 %: 1,010 leave for 1,000 to arrive, and 10 are no more.
    const { meta } = await rig.does(ann!, pay(ben!, mpt(1_000), { SendMax: mpt(1_010) }));
    expect(meta.delivered_amount).toEqual(mpt(1_000));
    const { mptokens } = await rig.ask('mpt_holders', { mpt_issuance_id, ledger_index: 'validated' });
    const held = Object.fromEntries(mptokens.map((row: Answer) => [row.account, row.mpt_amount]));
    expect(held).toEqual({ [ann!.address]: '8990', [ben!.address]: '1000' });
    const { node } = await rig.ask('ledger_entry', {
      mpt_issuance: mpt_issuance_id,
      ledger_index: 'validated',
    });
    expect(node).toMatchObject({ OutstandingAmount: '9990', MaximumAmount: '1000000', TransferFee: 1_000 });
  });

  test('credentials open a door that is shut to others', async () => {
    const [office, ann, ben] = await rig.funded(100, 100, 100);
    const CredentialType = convertStringToHex('KYC');
    await rig.does(office!, { TransactionType: 'CredentialCreate', Subject: ann!.address, CredentialType });
    await rig.does(ann!, { TransactionType: 'CredentialAccept', Issuer: office!.address, CredentialType });
    const { node, index } = await rig.ask('ledger_entry', {
      credential: { subject: ann!.address, issuer: office!.address, credential_type: CredentialType },
      ledger_index: 'validated',
    });
    expect(node).toMatchObject({ Flags: 0x00010000, Subject: ann!.address });
    await rig.does(ben!, { TransactionType: 'AccountSet', SetFlag: AccountSetAsfFlags.asfDepositAuth });
    await rig.does(ben!, {
      TransactionType: 'DepositPreauth',
      AuthorizeCredentials: [{ Credential: { Issuer: office!.address, CredentialType } }],
    });
    await rig.does(ann!, pay(ben!, drops(3)), 'tecNO_PERMISSION');
    await rig.does(ann!, pay(ben!, drops(3), { CredentialIDs: [index] }));
    expect(await rig.xrp(ben!)).toBe(103_000_000 - 2 * FEE);
    const asked = {
      source_account: ann!.address,
      destination_account: ben!.address,
      ledger_index: 'validated',
    };
    expect((await rig.ask('deposit_authorized', asked)).deposit_authorized).toBe(false);
    expect((await rig.ask('deposit_authorized', { ...asked, credentials: [index] })).deposit_authorized).toBe(
      true,
    );
  });

  test('a vault takes deposits and gives them back', async () => {
    const [owner, ann] = await rig.funded(100, 500);
    const made = await rig.does(owner!, { TransactionType: 'VaultCreate', Asset: { currency: 'XRP' } });
    const VaultID = created(made.meta, 'Vault').LedgerIndex;
    await rig.does(ann!, { TransactionType: 'VaultDeposit', VaultID, Amount: drops(100) });
    const look = async () =>
      (await rig.ask('vault_info', { vault_id: VaultID, ledger_index: 'validated' })).vault;
    const vault = await look();
    expect(vault).toMatchObject({
      Owner: owner!.address,
      AssetsTotal: drops(100),
      AssetsAvailable: drops(100),
    });
    expect(vault.shares.OutstandingAmount).toBe(drops(100));
    const before = await rig.xrp(ann!);
    await rig.does(ann!, { TransactionType: 'VaultWithdraw', VaultID, Amount: drops(40) });
    expect(await rig.xrp(ann!)).toBe(before + 40_000_000 - FEE);
    expect(await look()).toMatchObject({ AssetsTotal: drops(60), shares: { OutstandingAmount: drops(60) } });
  });

  test('an account is deleted, and its XRP goes to another', async () => {
    const [ann, ben] = await rig.funded(100, 100);
    for (let i = 0; i < 256; i++) await rig.accept();
    const { tx_json } = await rig.does(ann!, { TransactionType: 'AccountDelete', Destination: ben!.address });
    // Deleting costs one owner reserve.
    expect(tx_json.Fee).toBe('200000');
    expect(await rig.xrp(ben!)).toBe(200_000_000 - 200_000);
    expect((await rig.refused('account_info', { account: ann!.address })).error).toBe('actNotFound');
  });
});
