/**
 * One network behind two servers: without the gate, and with it. Limits are those of the contract in number, but so high
 * that nothing is refused, except that developers may ask for 9 tokens a minute. Addresses are those of X-Forwarded-For.
 *
 * Lines out: `open <port>`, `gated <port>`, `key <secret>`, `token <md5>`. Lines in, and what they are answered:
 * `cpu` (`cpu <user us> <system us>`), `clients <count> <file>` (makes keys of as many wallets of the developer tier, a line
 * each in the file; `clients`), `used` (`used <tenths of credits that they used>`).
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createApi } from '../../api/app.ts';
import { Gate } from '../../api/gate/gate.ts';
import { WalletProofs } from '../../api/gate/wallet-proofs.ts';
import { routes } from '../../api/routes/index.ts';
import { serveOptions } from '../../api/serve.ts';
import { openPlatformStore } from '../../data/platform-store.ts';
import { accountText } from '../../engine/codec/base58.ts';
import { Engine } from '../../engine/engine.ts';
import { prepare, prepared } from '../../engine/ledger/prepare.ts';
import { makeKey } from '../../platform/api-keys.ts';
import { CUSTOMER_COLLECTIONS, Customers } from '../../platform/customers.ts';
import { DEFAULT_ADMISSION, type TierSettings } from '../../requests/admission-settings.ts';
import { relaidChain } from '../../support/chain.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { Mount } from '../../views/mount.ts';
import { Network } from '../../views/network.ts';
import { SignatureThread } from '../../workers/signatures.ts';
import { streams } from '../../ws/streams/index.ts';

const LEDGERS = 60;
const TRANSACTIONS = 100;
/** Below 2^31, as all real limits: larger numbers take longer to write. */
const ENOUGH = 2_000_000_000;
const WALLET = 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh';

const log = { debug() {}, info() {}, warn() {}, error: console.error };

/** Every limit that a tier has, out of reach. */
const raised = (tier: TierSettings): TierSettings => ({
  ...tier,
  ...(tier.burst && { burst: ENOUGH }),
  ...(tier.perTenSeconds && { perTenSeconds: ENOUGH }),
  ...(tier.perMinute && { perMinute: ENOUGH }),
  ...(tier.perDay && { perDay: ENOUGH }),
  ...(tier.creditsPerMonth && { creditsPerMonth: ENOUGH }),
  ...(tier.multiplier && { multiplier: 10_000_000 }),
});

const settings = {
  ...DEFAULT_ADMISSION,
  mode: 'keys' as const,
  tiers: {
    ...DEFAULT_ADMISSION.tiers,
    anonymous: raised(DEFAULT_ADMISSION.tiers.anonymous),
    partner: raised(DEFAULT_ADMISSION.tiers.partner),
    developer: { ...raised(DEFAULT_ADMISSION.tiers.developer), multiplier: 3 },
  },
  endpoints: { '/token': { base: 3 } },
  proxies: ['127.0.0.1'],
  addressBurst: { limit: ENOUGH, windowMs: 2000 },
};

const engine = new Engine({ store: new MemoryStore(), log });
for (const packed of relaidChain({ ledgers: LEDGERS, transactionsPerLedger: TRANSACTIONS })) {
  const made = prepared(packed, prepare(packed.bytes, false));
  if (made.fault) throw new Error(made.fault);
  await engine.applyLedger(made, false);
}
await engine.drain();
const network = new Network({ engine });
const dir = mkdtempSync(join(tmpdir(), 'millrace-gate-'));
const store = await openPlatformStore({ dir, network: 0, collections: CUSTOMER_COLLECTIONS });
const customers = new Customers((tier) => settings.tiers[tier].creditsPerMonth);
customers.attach(store);
await customers.credits.open(WALLET, Date.now());
await customers.plans.grant(WALLET, 'partner');
const key = makeKey({ kind: 'user', wallet: WALLET, name: 'load' }, Date.now());
await customers.keys.add(key, 1);

const gate = new Gate({ settings, customers, rows: [...routes, ...streams], now: Date.now });
const hub = { upgrade: () => new Response(null, { status: 404 }), websocket: { message() {} }, close() {} };
const mounts = [Mount.of(network)];
const thread = new SignatureThread();
const proofs = new WalletProofs({ verify: thread.verify, seen: customers.signatures });
const common = { mounts, log, customers, admission: settings, proofs };
const serve = (api: ReturnType<typeof createApi>) =>
  Bun.serve(serveOptions({ api, hub, host: '127.0.0.1', port: 0 })).port;
console.log(`open ${serve(createApi(common))}`);
console.log(`gated ${serve(createApi({ ...common, identify: gate.identify, admit: gate.admit }))}`);
console.log(`key ${key.secret}`);
console.log(`token ${engine.state.tokens.md5(1)}`);

/** Wallets that bought the developer tier, with a key each. */
const wallets: string[] = [];

async function makeClients(count: number, file: string): Promise<void> {
  const now = Date.now();
  const secrets: string[] = [];
  for (let from = 0; from < count; from += 500) {
    const made = Array.from({ length: Math.min(500, count - from) }, (_, at) => {
      const account = new Uint8Array(20);
      new DataView(account.buffer).setUint32(0, from + at);
      return makeKey({ kind: 'user', wallet: accountText(account), name: 'client' }, now);
    });
    const purchase = { type: 'tier', tier: 'developer', billing: 'monthly' } as const;
    await Promise.all(
      made.map(async (one) => {
        const { wallet } = one.row;
        const plan = await store.transaction((transaction) =>
          customers.plans.deliver(transaction, wallet, purchase, { now, past: now }),
        );
        plan.applied();
        await customers.credits.open(wallet, now);
        await customers.keys.add(one, 1);
        wallets.push(wallet);
        secrets.push(one.secret);
      }),
    );
  }
  writeFileSync(file, secrets.join('\n'));
}

const usedTenths = (): number => {
  const now = Date.now();
  return wallets.reduce((sum, wallet) => sum + customers.credits.of(wallet)!.used(now), 0);
};

for await (const line of createInterface({ input: process.stdin })) {
  const [word, count, file] = line.split(' ');
  if (word === 'cpu') {
    const { user, system } = process.cpuUsage();
    console.log(`cpu ${user} ${system}`);
  } else if (word === 'clients') {
    await makeClients(Number(count), file!);
    console.log('clients');
  } else if (word === 'used') console.log(`used ${usedTenths()}`);
}
await thread.close();
await customers.close();
await store.close();
rmSync(dir, { recursive: true, force: true });
