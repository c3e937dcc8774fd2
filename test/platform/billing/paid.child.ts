/**
 * Follows a network on which every invoice of the store is paid, each twice, from the first ledger on; a parent kills it.
 *
 *   paid.child.ts DIR
 */
import { Shop } from './shop.ts';

const [dir = ''] = process.argv.slice(2);
const shop = await Shop.open(dir, 'payer');
for (const tag of shop.tags()) {
  console.log(`paying ${tag}`);
  await shop.pay('payer', tag);
  shop.submit('payer', tag);
}
await shop.close();
console.log('all paid');
await shop.stop();
