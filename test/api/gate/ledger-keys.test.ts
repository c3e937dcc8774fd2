/** Keys that an account has given itself on the ledger, on the embedded network. */
import { expect, test } from 'bun:test';
import { sign } from 'ripple-keypairs';
import { createApi } from '../../../api/app.ts';
import { WalletProofs } from '../../../api/gate/wallet-proofs.ts';
import { type Route, route } from '../../../api/route.ts';
import { object, string } from '../../../api/schema.ts';
import { Engine } from '../../../engine/engine.ts';
import { prepare, prepared } from '../../../engine/ledger/prepare.ts';
import type { ClosedLedger } from '../../../sandbox/ledger/ledger.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { Mount } from '../../../views/mount.ts';
import { Network } from '../../../views/network.ts';
import { quiet } from '../../live-rig.ts';
import { PrunedMemory } from '../../pruned-memory.ts';
import { NetworkRig } from '../../sandbox/node/network-rig.ts';
import type { TestAccount } from '../../sandbox/rig.ts';

const ASF_DISABLE_MASTER = 4;

const rig = new NetworkRig();
const store = new PrunedMemory();
const engine = new Engine({ store, log: quiet, batch: { recentLedgers: 1 } });
const proofs = new WalletProofs();
let now = 1_900_000_000_000;

async function apply(ledger: ClosedLedger): Promise<void> {
  const packed = ledger.packed();
  await engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), false);
  await engine.drain();
}

async function submit(from: TestAccount, transaction: Record<string, unknown>): Promise<void> {
  rig.submit(from, transaction);
  await apply(rig.close());
}

/** Whether a text of `wallet` that `signer` signed is accepted. */
const accepted = async (wallet: TestAccount, signer: TestAccount, sendsKey = true): Promise<boolean> =>
  (await answerTo(wallet, signer, sendsKey)) === wallet.address;

/** The wallet that is proved, or why none is. */
async function answerTo(wallet: TestAccount, signer: TestAccount, sendsKey = true): Promise<string> {
  now++;
  const message = Buffer.from(`${wallet.address}:${now}`).toString('hex');
  const headers = {
    'X-Wallet': wallet.address,
    'X-Timestamp': String(now),
    'X-Signature': sign(message, signer.privateKey),
    ...(sendsKey && { 'X-Public-Key': signer.publicKey }),
  };
  const asking = { engine, ip: String(now), isWrite: false, now };
  const request = new Request('http://localhost/', { headers });
  return proofs.prove(request, asking).catch(({ message }: Error) => message);
}

test('master key, regular key, and what is given up', async () => {
  await apply(rig.network.closed);
  const [ann, ben, eve] = rig.fund(['ann', 'ben', 'eve']) as [TestAccount, TestAccount, TestAccount];
  await apply(rig.network.closed);
  expect([await accepted(ann, ann), await accepted(ann, ben)]).toEqual([true, false]);
  // Its key is not known before the account has sent a transaction of its own.
  expect(await accepted(ann, ann, false)).toBe(false);
  await submit(ann, { TransactionType: 'SetRegularKey', RegularKey: ben.address });
  expect([await accepted(ann, ann), await accepted(ann, ben), await accepted(ann, eve)]).toEqual([
    true,
    true,
    false,
  ]);
  expect([await accepted(ann, ann, false), await accepted(ann, ben, false)]).toEqual([true, false]);
  await submit(ann, { TransactionType: 'AccountSet', SetFlag: ASF_DISABLE_MASTER });
  expect([await accepted(ann, ann), await accepted(ann, ben)]).toEqual([false, true]);
  // Somebody else's payment is now the last transaction that changed the account.
  await submit(eve, { TransactionType: 'Payment', Destination: ann.address, Amount: '1000000' });
  expect([await accepted(ann, ben), await accepted(ann, ben, false)]).toEqual([true, false]);
  const [zoe] = rig.fund(['zoe']) as [TestAccount];
  await apply(rig.network.closed);
  const signer = { ...ann, publicKey: ben.publicKey, privateKey: ben.privateKey };
  rig.submit(signer, { TransactionType: 'SetRegularKey', RegularKey: zoe.address });
  await apply(rig.close());
  expect([await accepted(ann, ben), await accepted(ann, zoe)]).toEqual([false, true]);
});

test('the key is that of the last transaction that the account signed itself, whoever has changed it since', async () => {
  const [una, eve] = rig.fund(['una', 'eve-2']) as [TestAccount, TestAccount];
  await apply(rig.network.closed);
  await submit(una, { TransactionType: 'AccountSet' });
  expect(await accepted(una, una, false)).toBe(true);
  for (let i = 0; i < 3; i++) {
    await submit(eve, { TransactionType: 'Payment', Destination: una.address, Amount: '1000000' });
    expect(await accepted(una, una, false)).toBe(true);
  }
  expect([await accepted(una, eve, false), await accepted(eve, una, false)]).toEqual([false, false]);
  // Lists of what a wallet watches always need it (section 5 of the contract).
  const api = createApi({ mounts: [Mount.of(new Network({ engine }))], log: quiet, now: () => now });
  const status = async (path: string, sendsKey: boolean) => {
    now++;
    const headers = {
      'X-Wallet': una.address,
      'X-Timestamp': String(now),
      'X-Signature': sign(Buffer.from(`${una.address}:${now}`).toString('hex'), una.privateKey),
      ...(sendsKey && { 'X-Public-Key': una.publicKey }),
    };
    return (await api.fetch(new Request(`http://localhost/v1${path}`, { headers }))).status;
  };
  // 503: nothing is kept of customers here.
  for (const [path, without] of [
    [`/keys/${una.address}`, 503],
    ['/watchlist', 401],
    ['/watchlist/nft', 401],
  ] as const)
    expect([await status(path, true), await status(path, false)]).toEqual([503, without]);
});

test('keys of the service are those of the first network, whichever mount is asked; the others, of their own', async () => {
  const [here, there] = [new NetworkRig(), new NetworkRig()];
  const engines = [here, there].map(() => new Engine({ store: new MemoryStore(), log: quiet }));
  const close = async () => {
    for (const [i, one] of [here, there].entries()) {
      const packed = one.close().packed();
      await engines[i]!.applyLedger(prepared(packed, prepare(packed.bytes, false)), false);
      await engines[i]!.drain();
    }
  };
  const [ann] = here.fund(['ann', 'ben']) as [TestAccount];
  const [, ben] = there.fund(['ann', 'ben']) as [TestAccount, TestAccount];
  there.submit(there.account('ann'), { TransactionType: 'SetRegularKey', RegularKey: ben.address });
  await close();
  const row = (path: string, ofService?: true): Route => ({
    ...route({
      method: 'GET',
      path,
      section: '4.8',
      auth: 'wallet',
      tier: 'anonymous',
      example: {},
      summary: 'Who signed',
      params: {},
      cost: 0,
      bucket: path,
      response: object({ wallet: string }),
      handler: (_, { wallet }) => ({ wallet }),
    }),
    ...(ofService && { ofService }),
  });
  const mounts = engines.map((engine, i) => Mount.of(new Network({ engine }), i === 0 ? '' : '/second'));
  const api = createApi({ mounts, log: quiet, routes: [row('/own', true), row('/other')], now: () => now });
  const status = async (path: string) => {
    now++;
    const headers = {
      'X-Wallet': ann.address,
      'X-Timestamp': String(now),
      'X-Signature': sign(Buffer.from(`${ann.address}:${now}`).toString('hex'), ben.privateKey),
      'X-Public-Key': ben.publicKey,
    };
    return (await api.fetch(new Request(`http://localhost/v1${path}`, { headers }))).status;
  };
  expect([await status('/own'), await status('/second/own')]).toEqual([401, 401]);
  expect([await status('/other'), await status('/second/other')]).toEqual([401, 200]);
});

test('a regular key that no stored ledger shows is said to be unknown, not wrong', async () => {
  const [una, ben] = rig.fund(['una-3', 'ben-3']) as [TestAccount, TestAccount];
  await apply(rig.network.closed);
  await submit(una, { TransactionType: 'SetRegularKey', RegularKey: ben.address });
  expect(await answerTo(una, una)).toBe(una.address);
  expect(await answerTo(una, ben)).toBe(una.address);
  await apply(rig.close());
  store.oldest = engine.head!.index;
  expect(await answerTo(una, una)).toBe(una.address);
  expect(await answerTo(una, ben)).toBe(
    'No ledger stored here shows the regular key of the wallet: sign with its master key',
  );
});
