/** A token whose makers put markup, marks that turn the direction of writing, and very long texts wherever they may. */
import { sign } from 'ripple-keypairs';
import { Wallet } from 'xrpl';
import type { Market } from './market.ts';

const hex = (text: string, bytes = 0) =>
  Buffer.from(text)
    .toString('hex')
    .toUpperCase()
    .padEnd(2 * bytes, '0');

/** Right-to-left override, isolate, zero-width joiner. */
export const MARKS = '\u202e\u2067\u200d';
const MARKUP = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';
/** 20 bytes: as long as a currency code may be. */
const CURRENCY = '<script>a()</script>';
/** 256 bytes: as long as a domain may be. */
const DOMAIN = `${MARKUP}${MARKS}`.padEnd(250, 'w');
/** Memos together may be 1 KB. */
const MEMO = `${MARKS}${MARKUP}`.padEnd(900, 'W');
/** As long as the service takes one. */
const DESCRIPTION = `${MARKUP}${MARKS}`.padEnd(2_000, 'M');

export interface Hostile {
  /** Of the token. */
  readonly md5: string;
  readonly issuer: string;
  /** A trade of it, with a memo. */
  readonly trade: string;
  /** Of the payment and the settings. */
  readonly ledger: number;
  /** Slug of a collection of NFTs. */
  readonly collection: string;
  /** Id of an NFT of it. */
  readonly nft: string;
  readonly settings: string;
}

/** Makes the token, with a holder, a trade and what its issuer says of it. */
export async function hostileToken(market: Market): Promise<Hostile> {
  const [issuer, holder, buyer] = [
    await market.fund(5_000),
    await market.fund(5_000),
    await market.fund(5_000),
  ];
  await market.close();
  const currency = hex(CURRENCY, 20);
  const amount = (value: number) => ({ currency, issuer: issuer.address, value: String(value) });
  const Memos = [{ Memo: { MemoType: hex('note'), MemoData: hex(MEMO) } }];
  const settings = await market.submit(issuer.seed, {
    TransactionType: 'AccountSet',
    Account: issuer.address,
    Domain: hex(DOMAIN),
    SetFlag: 8,
  });
  for (const { address: Account, seed } of [holder, buyer])
    await market.submit(seed, { TransactionType: 'TrustSet', Account, LimitAmount: amount(1e6) });
  const { index: ledger } = await market.close();
  await market.submit(issuer.seed, {
    TransactionType: 'Payment',
    Account: issuer.address,
    Destination: holder.address,
    Amount: amount(1_000),
  });
  await market.close();
  await market.submit(holder.seed, {
    TransactionType: 'OfferCreate',
    Account: holder.address,
    TakerGets: amount(500),
    TakerPays: '500000000',
  });
  await market.close();
  const trade = await market.submit(buyer.seed, {
    TransactionType: 'OfferCreate',
    Account: buyer.address,
    TakerGets: '100000000',
    TakerPays: amount(100),
    Memos,
  });
  await market.close();
  const { token } = await market.get(`/v1/token/${issuer.address}_${currency}`);
  await describeToken(market, token.md5, issuer.seed);
  const { collections } = await market.get('/v1/nft/collections?limit=1&sort=items');
  const collection = collections[0].slug as string;
  const nft = (await market.get(`/v1/nft?cid=${collection}&limit=1`)).nfts[0].NFTokenID as string;
  return { md5: token.md5, issuer: issuer.address, trade, ledger, settings, collection, nft };
}

/** What the issuer says of it, signed by its wallet. */
async function describeToken(market: Market, md5: string, seed: string): Promise<void> {
  const { classicAddress, publicKey, privateKey } = Wallet.fromSeed(seed);
  const timestamp = String(Date.now());
  const signed = Buffer.from(`${classicAddress}:${timestamp}`).toString('hex');
  const response = await fetch(`${market.url}/v1/token/${md5}/metadata`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'X-Wallet': classicAddress,
      'X-Timestamp': timestamp,
      'X-Public-Key': publicKey,
      'X-Signature': sign(signed, privateKey),
    },
    body: JSON.stringify({ user: `<b>${MARKS}bold</b>`, description: DESCRIPTION }),
  });
  if (!response.ok) throw new Error(`metadata: ${response.status} ${await response.text()}`);
}
