/** What issuers of the embedded network publish at their domains, in the rows of their tokens; files parsed by another parser. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { createApi } from '../../api/app.ts';
import { Engine } from '../../engine/engine.ts';
import { StoredIssuerFiles } from '../../outside/issuer-files.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { Mount } from '../../views/mount.ts';
import { Network } from '../../views/network.ts';
import { quiet } from '../live-rig.ts';
import { World } from '../sandbox/population/world.ts';
import { applyAll } from './world.ts';

// biome-ignore lint/suspicious/noExplicitAny: rows are looked into member by member
type Row = any;

describe('rows of the embedded network', () => {
  const engine = new Engine({ store: new MemoryStore(), log: quiet });
  const world = new World({ seed: 'files' });
  const asked = new Set<string>();
  /** Requests that are not answered yet. */
  let open = 0;
  const files = new StoredIssuerFiles({
    read: async (domain) => {
      asked.add(domain);
      open++;
      await new Promise((resolve) => setTimeout(resolve, 0));
      open--;
      const text = world.network.tomlOf?.(domain);
      if (text === undefined) throw new Error('no file');
      return text;
    },
    now: () => 0,
    unixMs: () => 0,
  });
  const network = new Network({ engine, issuerFiles: files });
  const api = createApi({ mounts: [Mount.of(network)], log: quiet });
  const get = async (path: string): Promise<Row> =>
    (await api.fetch(new Request(`http://localhost/v1${path}`))).json();
  const ledger = () => applyAll(engine, [world.step(600).packed()]);
  const rows = async (): Promise<Row[]> => (await get('/tokens?limit=100')).tokens;

  beforeAll(async () => {
    for (let i = 0; i < 6; i++) await ledger();
  });

  /** What the file of the domain says, read by the runtime's parser. */
  function published(row: Row): Row {
    const text = row.domain && world.network.tomlOf?.(row.domain);
    if (!text) return {};
    const { TOKENS = [], ISSUERS = [] } = Bun.TOML.parse(text) as Row;
    const code = (token: Row) => token.currency === row.currency;
    const token = TOKENS.find((one: Row) => one.issuer === row.issuer && code(one));
    const issuer = ISSUERS.find((one: Row) => one.address === row.issuer);
    const site = token?.URLS?.find((one: Row) => one.type === 'website');
    const website = site && new URL(site.url).href;
    return { user: issuer?.name, description: token?.desc, icon: token?.icon, website };
  }

  test('show nothing of it at first, and all from the first ledger after the files have come', async () => {
    for (const row of await rows()) expect(row).not.toHaveProperty('sources');
    // The rows of trust lines and of streams ask, too.
    while (open > 0) await new Promise((resolve) => setTimeout(resolve, 0));
    const before = await rows();
    expect(before.every((row) => row.sources === undefined)).toBe(true);
    const changed: number[] = [];
    engine.onLedger((event) => {
      changed.push(...network.views.tokens.changed.rows(event));
    });
    await ledger();
    const after = await rows();
    let shown = 0;
    for (const row of after) {
      const { user, description, icon, website } = published(row);
      if (row.tokenType === 'mpt' || row.tokenType === 'lp') continue;
      expect([row.name, row.user, row.icon, row.social?.website]).toEqual([row.name, user, icon, website]);
      expect((await get(`/token/${row.md5}?desc=yes`)).token.description).toBe(description);
      if (user === undefined && description === undefined) expect(row).not.toHaveProperty('sources');
      else {
        const source = (value: unknown) => (value === undefined ? undefined : 'xrp-ledger.toml');
        expect(row.sources).toEqual(
          JSON.parse(
            JSON.stringify({
              user: source(user),
              domain: 'ledger',
              icon: source(icon),
              website: source(website),
              description: source(description),
            }),
          ),
        );
        expect(changed).toContain(engine.state.tokens.byMd5(row.md5)!);
        shown++;
      }
    }
    expect(shown).toBeGreaterThan(5);
  });

  test('show nothing of a file that names another account', async () => {
    const { accounts, tokens } = engine.state;
    const own = (await rows()).filter((row) => row.sources !== undefined);
    const [one, other] = own;
    const [id, issuer] = [tokens.byMd5(one.md5)!, tokens.issuer(tokens.byMd5(other.md5)!)];
    const { domain } = accounts;
    accounts.domain = (account) => domain.call(accounts, account === tokens.issuer(id) ? issuer : account);
    network.views.tokens.forgetRows();
    expect(JSON.parse(network.views.tokens.rowText(id))).not.toHaveProperty('sources');
    accounts.domain = domain;
    network.views.tokens.forgetRows();
    expect(JSON.parse(network.views.tokens.rowText(id)).sources).toEqual(one.sources);
  });

  test('ask for the domains of accounts that issue, each once', async () => {
    const { accounts, tokens } = engine.state;
    const domains = new Set(
      Array.from({ length: tokens.count - 1 }, (_, i) => accounts.domain(tokens.issuer(i + 1))),
    );
    for (const domain of asked) expect(domains.has(domain)).toBe(true);
  });
});
