/** Path requests on a rig: the books are read from its entries, not from the index that is tested elsewhere. */

import { multiplyRate } from '../../../engine/codec/arithmetic/amount-arithmetic.ts';
import type { Asset } from '../../../engine/codec/arithmetic/asset.ts';
import { runToEnd } from '../../../engine/event-loop.ts';
import type { BookSource } from '../../../sandbox/paths/book-index.ts';
import { type Alternative, type PathQuestion, PathRequest } from '../../../sandbox/paths/path-request.ts';
import { toJson } from '../../../sandbox/protocol/encode.ts';
import type { Entry } from '../../../sandbox/protocol/fields.ts';
import type { MarketRig } from '../flow/market-rig.ts';

/** Books from the offers' and pools' own fields. */
export function booksOf(entries: Iterable<Readonly<Entry>>): BookSource {
  const pairs = new Set<string>();
  const add = (pays: Asset, gets: Asset, domain = '') => pairs.add(`${domain}:${pays}>${gets}`);
  for (const entry of entries) {
    if (entry.LedgerEntryType === 'AMM') {
      add(entry.Asset!, entry.Asset2!);
      add(entry.Asset2!, entry.Asset!);
    } else if (entry.LedgerEntryType === 'Offer') {
      const { TakerPays, TakerGets, DomainID, AdditionalBooks } = entry;
      add(TakerPays!.asset, TakerGets!.asset, DomainID);
      if (AdditionalBooks) add(TakerPays!.asset, TakerGets!.asset);
    }
  }
  const outputs = (pays: Asset, domain = ''): Asset[] => {
    const start = `${domain}:${pays}>`;
    return [...pairs].filter((pair) => pair.startsWith(start)).map((pair) => pair.slice(start.length));
  };
  return {
    outputs,
    count: (pays, domain) => outputs(pays, domain).length,
  };
}

export interface PathAsk {
  readonly from: string;
  readonly to: string;
  /** In the market rig's form of amounts; -1 in drops or of an asset: as much as possible. */
  readonly deliver: string;
  /** Assets: `XRP`, `USD/gate`, `USD/sender`. */
  readonly spend?: readonly string[];
  readonly sendMax?: string;
  readonly domain?: string;
}

export function question(market: MarketRig, asked: PathAsk): PathQuestion {
  return {
    source: market.id(asked.from),
    destination: market.id(asked.to),
    deliver: market.value(asked.deliver),
    sendMax: asked.sendMax === undefined ? undefined : market.value(asked.sendMax),
    sourceAssets: (asked.spend ?? []).map((text) => market.asset(text)),
    domain: asked.domain,
  };
}

export function ask(market: MarketRig, asked: PathAsk): Alternative[] {
  const request = new PathRequest(question(market, asked));
  return runToEnd(request.alternatives(market.rig.ledger, booksOf(market.rig.entries()), false))!;
}

/** A path in short: names for accounts, `USD/gate` for books. */
export function pathText(market: MarketRig, { paths }: Alternative): string[] {
  const nameOf = (address: unknown): string => {
    for (const { name, address: own } of market.rig.accounts.values()) if (own === address) return name;
    return String(address);
  };
  const { Paths } = toJson({ Paths: paths } as never) as { Paths: Record<string, unknown>[][] };
  return Paths.map((path) =>
    path
      .map(({ account, currency, issuer }) =>
        account ? nameOf(account) : issuer ? `${String(currency)}/${nameOf(issuer)}` : String(currency),
      )
      .join(' '),
  );
}

/** The Payment that uses an alternative; SendMax is a thousandth above its cost, because drops are rounded the other way. */
export function payment(market: MarketRig, asked: PathAsk, { source, delivered, paths }: Alternative) {
  const { Paths } = toJson({ Paths: paths } as never) as { Paths: unknown[] };
  return {
    TransactionType: 'Payment',
    Account: market.address(asked.from),
    Destination: market.address(asked.to),
    Amount: delivered.json(),
    SendMax: multiplyRate(source, 1_001_000_000).json(),
    ...(Paths.length > 0 ? { Paths } : {}),
  };
}
