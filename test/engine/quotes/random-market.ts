/**
 * Random markets with everything that a quote has to respect: books and pools between XRP and tokens, transfer fees, tick sizes,
 * issuers that authorise or do not ripple, frozen lines and tokens, offers without all their funds, expired ones, those
 * of the accounts that pay, and those of a permissioned domain; lines with qualities, and an account whose paper issuers hold.
 */
import { encode } from 'ripple-binary-codec';
import { bytesOf } from '../../../engine/codec/bytes.ts';
import type { Outcome } from '../../../sandbox/apply/environment.ts';
import { transactionOfBlob } from '../../../sandbox/apply/transaction.ts';
import { applyTransaction } from '../../../sandbox/apply/transactor.ts';
import { EntryTable } from '../../../sandbox/ledger/tables.ts';
import { Asf, Tf } from '../../../sandbox/protocol/flags.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { MarketRig } from '../../sandbox/flow/market-rig.ts';

export type Draws = (below: number) => number;
type Json = Record<string, unknown>;

const TOKENS = ['USD/east', 'EUR/east', 'USD/west', 'BTC/west', 'EUR/north', 'GLD/south'];
export const ASSETS = [...TOKENS, 'XRP'];
const MAKERS = ['m1', 'm2', 'm3', 'm4'];
/** They have much of everything; `ann` has offers of her own. */
export const PAYERS = ['ann', 'bob', 'carl'];
export const DEBTORS = ['dora'];
const KIND = '4B5943';

export const pick = <T>(random: Draws, list: readonly T[]): T => list[random(list.length)]!;
export const amountText = (value: number, asset: string): string =>
  asset === 'XRP' ? value.toFixed(6) : `${Number(value.toPrecision(15))}/${asset}`;

/** A transaction's bytes without a signature, which nothing here checks. */
function unsigned(market: MarketRig, name: string, json: Json): Uint8Array {
  const account = market.rig.account(name);
  const { Sequence } = market.rig.root(account);
  const signing = { SigningPubKey: account.publicKey, TxnSignature: 'AB' };
  return bytesOf(encode({ Account: account.address, Fee: '10', Sequence, ...signing, ...json }));
}

/** Applies a transaction for good. */
function act(market: MarketRig, name: string, json: Json): Outcome {
  return market.rig.applyBlob(unsigned(market, name, json), { verify: undefined });
}

/** The outcome of a transaction on this ledger, and what the account would have of some assets after it. */
export function trial(
  market: MarketRig,
  name: string,
  json: Json,
): { readonly outcome: Outcome; readonly view: EntryTable } {
  const view = new EntryTable(market.rig.ledger);
  const outcome = applyTransaction(view, transactionOfBlob(unsigned(market, name, json)), { networkId: 0 });
  return { outcome, view };
}

function must(market: MarketRig, name: string, json: Json): void {
  const { result } = act(market, name, json);
  if (result !== 'tesSUCCESS') throw new Error(`${name} ${String(json.TransactionType)}: ${result}`);
}

function settings(market: MarketRig, name: string, fields: Json): void {
  must(market, name, { TransactionType: 'AccountSet', ...fields });
}

function give(market: MarketRig, name: string, value: number, token: string): void {
  const [, currency, issuer] = `1/${token}`.split('/') as [string, string, string];
  const limit = { currency, issuer: market.address(issuer), value: '1000000000' };
  // As wallets do it: nothing ripples through a holder.
  must(market, name, { TransactionType: 'TrustSet', LimitAmount: limit, Flags: Tf.tfSetNoRipple });
  if (issuer === 'west') flagLine(market, token, name, Tf.tfSetfAuth);
  if (value > 0)
    must(market, issuer, {
      TransactionType: 'Payment',
      Destination: market.address(name),
      Amount: market.amount(amountText(value, token)),
    });
}

/** The issuer sets a flag on a holder's line. */
function flagLine(market: MarketRig, token: string, holder: string, Flags: number): void {
  const [currency, issuer] = token.split('/') as [string, string];
  const LimitAmount = { currency, issuer: market.address(holder), value: '0' };
  must(market, issuer, { TransactionType: 'TrustSet', LimitAmount, Flags });
}

/** Issuers: `east` may charge, `west` authorises, `north` has a tick size and may not let its token ripple, `south` may charge. */
function issuers(market: MarketRig, random: Draws): void {
  market.rig.fund('east', 'west', 'north', 'south');
  for (const name of ['east', 'west', 'south']) settings(market, name, { SetFlag: Asf.asfDefaultRipple });
  if (random(4) > 0) settings(market, 'north', { SetFlag: Asf.asfDefaultRipple });
  settings(market, 'west', { SetFlag: Asf.asfRequireAuth });
  settings(market, 'north', { TickSize: 4 + random(5) });
  for (const name of ['east', 'south'])
    if (random(2) === 0) settings(market, name, { TransferRate: 1_000_000_000 + random(30_000_000) });
}

function holders(market: MarketRig, random: Draws): void {
  market.rig.fund(...MAKERS, ...PAYERS, 'provider');
  for (const token of TOKENS) {
    for (const name of MAKERS)
      if (random(6) > 0) give(market, name, (random(3) === 0 ? 25 : 1_000 + random(3_000)) / 7, token);
    for (const name of PAYERS) give(market, name, 1_000_000, token);
    give(market, 'provider', 10_000_000, token);
  }
  // A maker with next to no XRP above its reserve.
  const { Balance } = market.rig.root(market.rig.account('m4'));
  must(market, 'm4', {
    TransactionType: 'Payment',
    Destination: market.address('provider'),
    Amount: String(Balance!.drops - 6_000_000n - BigInt(random(3_000_000))),
  });
}

function offers(market: MarketRig, random: Draws): void {
  for (let i = 0; i < 60; i += 1) {
    const pays = pick(random, ASSETS);
    const gets = pick(random, ASSETS);
    if (pays === gets) continue;
    const size = (1 + random(30_000)) / (random(10) === 0 ? 99_991 : 97);
    const price = 0.8 + random(6_000) / 10_000;
    const expires =
      random(8) === 0 ? { Expiration: market.rig.ledger.header.parentCloseTime + 2 + random(2) * 1000 } : {};
    const owner = random(8) === 0 ? pick(random, ['ann', 'ann', 'east', 'south']) : pick(random, MAKERS);
    act(market, owner, {
      TransactionType: 'OfferCreate',
      TakerPays: market.amount(amountText(size * price, pays)),
      TakerGets: market.amount(amountText(size, gets)),
      Flags: Tf.tfPassive,
      ...expires,
    });
  }
}

function pools(market: MarketRig, random: Draws): void {
  const pairs = ASSETS.flatMap((a, i) => ASSETS.slice(i + 1).map((b) => [a, b] as const));
  for (const [a, b] of pairs)
    if (random(3) === 0)
      act(market, 'provider', {
        TransactionType: 'AMMCreate',
        Amount: market.amount(amountText(300 + random(3_000), a)),
        Amount2: market.amount(amountText(300 + random(3_000), b)),
        TradingFee: random(1_000),
        Fee: '200000',
      });
}

/** After the offers exist: freezes, spent funds. */
function obstacles(market: MarketRig, random: Draws, all: boolean): void {
  for (const holder of MAKERS)
    for (const token of TOKENS) {
      const line = keylets.line(
        market.id(holder),
        market.id(token.split('/')[1]!),
        market.asset(token).slice(0, 40),
      );
      if (!market.rig.ledger.read(line)) continue;
      const draw = random(24);
      if (draw < 2) flagLine(market, token, holder, Tf.tfSetFreeze);
      else if (draw === 2) flagLine(market, token, holder, Tf.tfSetFreeze | Tf.tfSetDeepFreeze);
    }
  if (random(6) === 0 && all) settings(market, 'south', { SetFlag: Asf.asfGlobalFreeze });
}

/** Offers of members of a domain: in its book only, and in both. */
function domain(market: MarketRig, random: Draws): void {
  for (const name of ['m1', 'm2']) {
    const Subject = market.address(name);
    must(market, 'east', { TransactionType: 'CredentialCreate', Subject, CredentialType: KIND });
    must(market, name, {
      TransactionType: 'CredentialAccept',
      Issuer: market.address('east'),
      CredentialType: KIND,
    });
  }
  const { Sequence } = market.rig.root(market.rig.account('east'));
  must(market, 'east', {
    TransactionType: 'PermissionedDomainSet',
    AcceptedCredentials: [{ Credential: { Issuer: market.address('east'), CredentialType: KIND } }],
  });
  const DomainID = keylets.permissionedDomain(market.id('east'), Sequence!);
  for (let i = 0; i < 6; i += 1) {
    const pays = pick(random, ASSETS);
    const gets = pick(random, ASSETS);
    if (pays === gets) continue;
    act(market, pick(random, ['m1', 'm2']), {
      TransactionType: 'OfferCreate',
      TakerPays: market.amount(amountText(10 + random(90) / 7, pays)),
      TakerGets: market.amount(amountText(12 + random(90) / 7, gets)),
      DomainID,
      Flags: random(2) === 0 ? Tf.tfHybrid : 0,
    });
  }
}

/** Holders and issuers give their lines qualities, below and above face value. */
function qualities(market: MarketRig, random: Draws): void {
  const some = () => (random(3) === 0 ? { QualityIn: 900_000_000 + random(200_000_000) } : {});
  const set = (name: string, peer: string, currency: string, value: string): void => {
    const Quality = {
      ...some(),
      ...(random(3) === 0 ? { QualityOut: 900_000_000 + random(200_000_000) } : {}),
    };
    if (Object.keys(Quality).length === 0) return;
    const LimitAmount = { currency, issuer: market.address(peer), value };
    must(market, name, { TransactionType: 'TrustSet', LimitAmount, ...Quality });
  };
  for (const holder of [...PAYERS, ...DEBTORS, ...MAKERS])
    for (const token of TOKENS) {
      const [currency, issuer] = token.split('/') as [string, string];
      const line = keylets.line(market.id(holder), market.id(issuer), market.asset(token).slice(0, 40));
      if (!market.rig.ledger.read(line)) continue;
      set(holder, issuer, currency, '1000000000');
      set(issuer, holder, currency, DEBTORS.includes(holder) ? '500' : '0');
    }
}

/** Accounts that can hold every token, and of whom issuers hold some paper of the same currency. */
function debtors(market: MarketRig, random: Draws): void {
  market.rig.fund(...DEBTORS);
  for (const name of DEBTORS)
    for (const token of TOKENS) {
      give(market, name, 0, token);
      const [currency, issuer] = token.split('/') as [string, string];
      if (issuer === 'west' || random(2) === 0) continue;
      const LimitAmount = { currency, issuer: market.address(name), value: '500' };
      must(market, issuer, { TransactionType: 'TrustSet', LimitAmount });
      must(market, name, {
        TransactionType: 'Payment',
        Destination: market.address(issuer),
        Amount: market.amount(amountText((1 + random(3_000)) / 7, `${currency}/${name}`)),
      });
    }
}

const EVERY_PAYER = [...PAYERS, ...DEBTORS, 'east', 'south', 'm1'];

function authorises(market: MarketRig, name: string, sender: string): void {
  must(market, name, { TransactionType: 'DepositPreauth', Authorize: market.address(sender) });
}

/** Somebody freezes a line of its own with an issuer, or a line with another issuer of the same currency. */
function freezesItself(market: MarketRig, random: Draws): void {
  const name = pick(random, [...MAKERS, 'east', 'south']);
  const token = pick(random, TOKENS);
  const [currency, issuer] = token.split('/') as [string, string];
  const line = keylets.line(market.id(name), market.id(issuer), market.asset(token).slice(0, 40));
  if (issuer === name || !market.rig.ledger.read(line)) return;
  const LimitAmount = { currency, issuer: market.address(issuer), value: '1000000000' };
  must(market, name, { TransactionType: 'TrustSet', LimitAmount, Flags: Tf.tfSetFreeze });
}

/** Issuers hold what others issue, of their own currencies, too; some accounts ask for a tag or an authorisation, or froze all. */
export function crossHoldings(market: MarketRig, random: Draws): void {
  for (const name of ['east', 'south', 'north', 'west'])
    for (const token of TOKENS) {
      const [currency, issuer] = token.split('/') as [string, string];
      const line = () => keylets.line(market.id(name), market.id(issuer), market.asset(token).slice(0, 40));
      if (issuer === name || random(3) > 0 || market.rig.ledger.read(line())) continue;
      give(market, name, random(2) * 1_000, `${currency}/${issuer}`);
      // Who holds it may pay with paper of its own, too.
      const LimitAmount = {
        currency: currency!,
        issuer: market.address(name),
        value: String(random(3) * 400),
      };
      if (random(2) === 0) must(market, issuer!, { TransactionType: 'TrustSet', LimitAmount });
    }
  const flags = [Asf.asfDepositAuth, Asf.asfRequireDest, Asf.asfDisallowXRP];
  for (const name of [...PAYERS, ...DEBTORS, 'north'])
    if (random(6) === 0) settings(market, name, { SetFlag: pick(random, flags) });
  if (random(4) === 0)
    settings(market, pick(random, ['bob', 'carl', ...MAKERS]), { SetFlag: Asf.asfGlobalFreeze });
  if (random(4) === 0) freezesItself(market, random);
  for (const name of [...PAYERS, ...DEBTORS, 'north'])
    if (random(4) === 0)
      authorises(
        market,
        name,
        pick(
          random,
          EVERY_PAYER.filter((one) => one !== name),
        ),
      );
  market.rig.close();
}

/**
 * The same draws make the same market.
 * @param all whether it may have what nothing is quoted over: offers of permissioned domains, a token that is frozen everywhere
 */
export function randomMarket(random: Draws, all = true): MarketRig {
  const market = new MarketRig();
  issuers(market, random);
  holders(market, random);
  offers(market, random);
  if (random(3) === 0 && all) domain(market, random);
  pools(market, random);
  obstacles(market, random, all);
  debtors(market, random);
  qualities(market, random);
  // Two ledgers, so that some offers expire.
  market.rig.close();
  market.rig.close();
  return market;
}
