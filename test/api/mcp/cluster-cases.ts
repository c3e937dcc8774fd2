/** Groups of holders, against a search through the entries and transactions of the ledger for who created whom. */
import { expect, test } from 'bun:test';
import { decodeObject, type JsonObject } from '../../../engine/codec/json.ts';
import type { Engine } from '../../../engine/engine.ts';
import { runToEnd } from '../../../engine/event-loop.ts';
import { holderClusters } from '../../../engine/traders/holder-clusters.ts';
import { HeavyReadPool } from '../../../workers/heavy-reads.ts';
import type { Json } from '../routes/ask.ts';

interface Asked {
  ofType(type: string): readonly JsonObject[];
  /** What a tool answers. */
  answer(name: string, sent: object): Promise<Json>;
  engine(): Engine;
  /** Indices of those that were applied. */
  ledgers(): readonly number[];
  /** What the service answers over REST. */
  get(path: string): Promise<Json>;
}

export function clusterTests({ ofType, answer, engine, ledgers, get }: Asked): void {
  test('all holders that were funded together are those of a search through who created whom, in any thread', async () => {
    const { state, traders } = engine();
    const pool = new HeavyReadPool({ threads: 1, deadline: 60_000 });
    const creators = creatorsOf(engine(), ledgers());
    let grouped = 0;
    for (const token of await tokensHeld(get)) {
      const query = { token: state.tokens.byMd5(token.md5)!, hops: 3 };
      const here = runToEnd(holderClusters(state, traders.funders, query));
      const there = await pool.of(state, traders).run('clusterHolders', query);
      expect(there.value).toEqual(here);
      const members = new Map(
        here.clusters.map(({ accounts, members }) => [state.accounts.text(accounts[0]!), members]),
      );
      const groups = groupsOf(ofType, token, query.hops, creators);
      expect([here.total, here.clustered]).toEqual([groups.length, groups.flat().length]);
      for (const [one, count] of members)
        expect(groups.find((group) => group.includes(one))).toHaveLength(count);
      const { clusters, ...sums } = await answer('get_holder_clusters', {
        id: token.md5,
        hops: 3,
        all_holders: true,
      });
      const { clusters: _, ...same } = here;
      expect(sums).toEqual(same);
      grouped += groups.length;
    }
    await pool.close();
    expect(grouped).toBeGreaterThan(0);
  });
}

const tokensHeld = async (get: Asked['get']): Promise<Json[]> =>
  (await get('/tokens?sort=holders&limit=6')).tokens.filter(
    ({ issuer, tokenType }: Json) => issuer !== 'XRPL' && tokenType !== 'mpt',
  );

/** The sender of the transaction that created each account. */
function creatorsOf(engine: Engine, ledgers: readonly number[]): Map<string, string> {
  const creators = new Map<string, string>();
  for (const index of ledgers) {
    const packed = engine.ledgerBytes(index);
    for (let tx = 0; packed && tx < packed.count; tx++) {
      const { Account } = decodeObject(packed.tx(tx));
      for (const node of decodeObject(packed.meta(tx)).AffectedNodes as JsonObject[]) {
        const { LedgerEntryType, NewFields } = (node.CreatedNode ?? {}) as JsonObject;
        const created = (NewFields as JsonObject | undefined)?.Account;
        if (LedgerEntryType === 'AccountRoot' && created !== Account)
          creators.set(String(created), String(Account));
      }
    }
  }
  return creators;
}

/** Holders of a token by the entries, put together where a search through the accounts that created them meets. */
function groupsOf(
  ofType: Asked['ofType'],
  token: Json,
  hops: number,
  creators: ReadonlyMap<string, string>,
): string[][] {
  const roots = new Map(ofType('AccountRoot').map((entry) => [String(entry.Account), entry]));
  const holders = holdersOf(ofType, token).filter((account) => !roots.get(account)?.AMMID);
  const isHub = (account: string) => {
    if ((Number(roots.get(account)?.Flags ?? 0) & 0x00020000) !== 0) return true;
    const funded = [...creators].filter(([, creator]) => creator === account).map(([created]) => created);
    return funded.length > 100 && funded.filter((one) => holders.includes(one)).length < funded.length / 2;
  };
  const links = new Map<string, Set<string>>();
  const link = (a: string, b: string) => {
    for (const [from, to] of [
      [a, b],
      [b, a],
    ] as const)
      links.set(from, (links.get(from) ?? new Set()).add(to));
  };
  for (const holder of holders) {
    let at = holder;
    for (let hop = 0; hop < hops; hop++) {
      const creator = creators.get(at);
      if (creator === undefined || isHub(creator)) break;
      link(at, creator);
      at = creator;
    }
  }
  const seen = new Set<string>();
  const groups: string[][] = [];
  for (const holder of holders) {
    if (seen.has(holder)) continue;
    const reached = [holder];
    seen.add(holder);
    for (const one of reached)
      for (const next of links.get(one) ?? []) {
        if (!seen.has(next)) reached.push(next);
        seen.add(next);
      }
    const group = reached.filter((one) => holders.includes(one));
    if (group.length > 1) groups.push(group);
  }
  return groups;
}

/** Accounts with a balance of a token. */
const holdersOf = (ofType: Asked['ofType'], { issuer, currency }: Json): string[] =>
  ofType('RippleState').flatMap(({ Balance, LowLimit, HighLimit }) => {
    const [balance, low, high] = [Balance, LowLimit, HighLimit] as JsonObject[];
    if (balance!.currency !== currency) return [];
    const value = Number(balance!.value);
    if (high!.issuer === issuer && value > 0) return [String(low!.issuer)];
    return low!.issuer === issuer && value < 0 ? [String(high!.issuer)] : [];
  });
