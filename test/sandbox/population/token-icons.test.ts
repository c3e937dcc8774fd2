/** The icons that the node of an embedded network serves: every one that its issuers name, and no others. */
import { expect, test } from 'bun:test';
import { readIssuerFile } from '../../../outside/issuer-toml.ts';
import { NftFiles } from '../../../sandbox/population/nft-files.ts';
import { tokenDomain } from '../../../sandbox/population/tokens.ts';
import { World } from './world.ts';

test('every icon that an xrp-ledger.toml names is served, the same each time, and differs by domain', async () => {
  const { network, population } = new World({ seed: 'icons' });
  const domains = ['nobody.example', ...population.economy.tokens.map(tokenDomain)];
  const seen = new Set<string>();
  for (const domain of domains) {
    const text = network.tomlOf?.(domain);
    const icons = text === undefined ? [] : readIssuerFile(text).tokens.map(({ icon }) => icon);
    const file = network.fileOf?.(domain, '/icon.png');
    expect([domain, file !== undefined]).toEqual([domain, icons.length > 0]);
    if (!file) continue;
    expect(icons).toEqual([`https://${domain}/icon.png`]);
    const { format, width } = await new Bun.Image(new Uint8Array(file.body as Uint8Array)).metadata();
    expect([file.type, format, width]).toEqual(['image/png', 'png', 128]);
    expect(network.fileOf?.(domain, '/icon.png')).toEqual(file);
    seen.add(Buffer.from(file.body as Uint8Array).toString('base64'));
  }
  expect(seen.size).toBeGreaterThan(3);
  expect(network.fileOf?.('tokens.example', '/TBILL.png')?.type).toBe('image/png');
  expect(network.fileOf?.('tokens.example', '/../x.png')).toBeUndefined();
  expect(new NftFiles('icons').of('tokens.example', '/TBILL.png')).toBeUndefined();
});
