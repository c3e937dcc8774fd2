/** Answers of two beginnings: each packing gives back what went in, whatever the rest is. */
import { expect, test } from 'bun:test';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { packHeaded } from '../../api/headed-bytes.ts';

const encoder = new TextEncoder();
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${seed} (repeat with SEED=${seed})`);

function random(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let state = seed;
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bytes[i] = state >>> 24;
  }
  return bytes;
}

const row = (at: number) =>
  `{"md5":"${Bun.hash(String(at)).toString(16)}","exch":"0.${at}","holders":${at}},`;
const rests: [string, Uint8Array][] = [
  ['nothing', new Uint8Array(0)],
  ['a byte', encoder.encode('}')],
  ['a page', encoder.encode(Array.from({ length: 100 }, (_, at) => row(at)).join(''))],
  ['130 KB', encoder.encode(Array.from({ length: 2200 }, (_, at) => row(at)).join(''))],
  ['2 MB', encoder.encode(Array.from({ length: 35_000 }, (_, at) => row(at)).join(''))],
  ['zeros', new Uint8Array(300_000)],
  ['noise', random(300_000)],
];
const beginnings = ['{"success":true,"attribution":"Data by Millrace"', '{"success":true', ''].map((text) =>
  encoder.encode(text),
);
const unpack = { gzip: gunzipSync, zstd: zstdDecompressSync };

const cases = rests.flatMap(([name, rest]) =>
  (['gzip', 'zstd'] as const).map((packing) => [name, packing, rest] as const),
);

test.each(cases)('%s, %s', async (_, packing, rest) => {
  const [first, ...others] = beginnings as [Uint8Array, ...Uint8Array[]];
  const packed = packHeaded(Buffer.concat([first, rest]), first.length, packing);
  const both = [[first, packed.whole] as const, ...others.map((one) => [one, packed.behind(one)] as const)];
  for (const [beginning, bytes] of both) {
    const whole = Buffer.concat([beginning, rest]);
    expect(Buffer.compare(unpack[packing](bytes), whole)).toBe(0);
    // The runtime's own client is another decoder.
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => new Response(bytes, { headers: { 'Content-Encoding': packing } }),
    });
    const read = await (await fetch(`http://127.0.0.1:${server.port}`)).bytes();
    await server.stop(true);
    expect(Buffer.compare(read, whole)).toBe(0);
  }
});
