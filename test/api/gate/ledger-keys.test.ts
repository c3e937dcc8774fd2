/** Keys that an account has given itself on the ledger, on the embedded network. */
import { expect, test } from 'bun:test';
import { sign } from 'ripple-keypairs';
import { WalletProofs } from '../../../api/gate/wallet-proofs.ts';
import { Engine } from '../../../engine/engine.ts';
import { prepare, prepared } from '../../../engine/ledger/prepare.ts';
import type { ClosedLedger } from '../../../sandbox/ledger/ledger.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { quiet } from '../../live-rig.ts';
import { NetworkRig } from '../../sandbox/node/network-rig.ts';
import type { TestAccount } from '../../sandbox/rig.ts';

const ASF_DISABLE_MASTER = 4;

const rig = new NetworkRig();
const engine = new Engine({ store: new MemoryStore(), log: quiet });
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
async function accepted(wallet: TestAccount, signer: TestAccount, sendsKey = true): Promise<boolean> {
  now++;
  const message = Buffer.from(`${wallet.address}:${now}`).toString('hex');
  const headers = {
    'X-Wallet': wallet.address,
    'X-Timestamp': String(now),
    'X-Signature': sign(message, signer.privateKey),
    ...(sendsKey && { 'X-Public-Key': signer.publicKey }),
  };
  const asking = { engine, ip: String(now), isWrite: false, now };
  return proofs.prove(new Request('http://localhost/', { headers }), asking).then(
    (proved) => proved === wallet.address,
    () => false,
  );
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
