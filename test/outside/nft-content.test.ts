/** Metadata of NFTs as minters write it, in both spellings, and hostile ones. */
import { describe, expect, test } from 'bun:test';
import { isPicture, readContent } from '../../outside/nft-content.ts';

const read = (value: unknown) => readContent(Buffer.from(JSON.stringify(value)));

describe('metadata', () => {
  test('is read as XLS-24d has it', () => {
    expect(
      read({
        schema: 'ipfs://QmNpi8rcXEkohca8iXu7zysKKSJYqCvBJn3xJwga8jXqWU',
        nftType: 'art.v0',
        name: 'Grey \u202eFox\u0000',
        description: 'One of a kind.',
        image: 'ipfs://x/1.png',
        collection: { name: 'Foxes', family: 'Animals' },
        attributes: [
          { trait_type: 'Fur', value: 'grey', description: 'Its fur' },
          { trait_type: 'Age', value: 7 },
          { trait_type: 'Tame', value: false },
        ],
      }),
    ).toEqual({
      name: 'Grey Fox',
      description: 'One of a kind.',
      collection: 'Foxes',
      image: 'ipfs://x/1.png',
      attributes: [
        { type: 'Fur', value: 'grey' },
        { type: 'Age', value: '7' },
        { type: 'Tame', value: 'false' },
      ],
    });
  });

  test('is refused where most of it is many small values, which take long to parse', () => {
    const traits = Array.from({ length: 64 }, (_, i) => ({ trait_type: `T${i}`, value: i, max: 9 }));
    const rest = (length: number) => ({ name: 'A', attributes: traits, rest: Array(length).fill(1) });
    expect(read(rest(9_000)).attributes).toHaveLength(64);
    expect(() => read(rest(10_000))).toThrow('too many values');
  });

  test('is read as others spell it', () => {
    expect(
      read({ Name: 'A', collection: 'C', image_url: 'u', attributes: [{ type: 'T', value: 'v' }] }),
    ).toMatchObject({ name: 'A', collection: 'C', image: 'u', attributes: [{ type: 'T', value: 'v' }] });
    expect(read({ attributes: { Hat: 'red', Size: 3 } }).attributes).toEqual([
      { type: 'Hat', value: 'red' },
      { type: 'Size', value: '3' },
    ]);
    expect(read({ traits: [{ traitType: 'T', value: 'v' }] }).attributes).toHaveLength(1);
  });

  test('has numbers with every digit, whatever their size', () => {
    const text = `{"name":12345678901234567890,"attributes":[{"trait_type":"Id","value":12345678901234567890},
      {"trait_type":"Share","value":0.12345678901234567},{"trait_type":"Huge","value":1e400},
      {"trait_type":"Plain","value":1.50},{"trait_type":"Date","value":1700000000}]}`;
    const { name, attributes } = readContent(Buffer.from(text));
    expect(name).toBeUndefined();
    expect(attributes.map(({ value }) => value)).toEqual([
      '12345678901234567890',
      '0.12345678901234567',
      '1e400',
      '1.5',
      '1700000000',
    ]);
    const object = '{"attributes":{"Id":-12345678901234567891},"traits":12345678901234567890}';
    expect(readContent(Buffer.from(object)).attributes).toEqual([
      { type: 'Id', value: '-12345678901234567891' },
    ]);
  });

  test('is read in the next spelling where one is blank', () => {
    expect(
      read({
        name: '',
        title: 'A',
        description: ' ',
        Description: 'D',
        collection: { name: '', family: 'F' },
        image: '',
        image_url: 'u',
        attributes: [],
        traits: [{ trait_type: 'T', value: 'v' }],
      }),
    ).toEqual({
      name: 'A',
      description: 'D',
      collection: 'F',
      image: 'u',
      attributes: [{ type: 'T', value: 'v' }],
    });
    expect(read({ collection: '', collection_name: 'C' }).collection).toBe('C');
  });

  test('is bounded, and what is no text is left out', () => {
    const attributes = Array.from({ length: 500 }, (_, n) => ({
      trait_type: 't'.repeat(99),
      value: 'v'.repeat(n),
    }));
    const content = read({ name: 'n'.repeat(999), description: 'd'.repeat(9999), attributes });
    expect([content.name!.length, content.description!.length]).toEqual([256, 2000]);
    // The first has no value.
    expect(content.attributes).toHaveLength(63);
    expect(content.attributes[62]!.type).toHaveLength(64);
    expect(
      read({
        name: 1,
        description: {},
        image: [],
        collection: 5,
        attributes: [1, null, 'x', [], { value: 1 }, { trait_type: 'a', value: {} }],
      }),
    ).toEqual({ attributes: [] } as never);
    expect(read({ __proto__: { name: 'x' }, attributes: 'x' }).attributes).toEqual([]);
  });

  // Half of a pair of UTF-16 is no character: many programs refuse a whole answer in which one is.
  test('has no half of a character, of its own or where it is cut', () => {
    const content = read({
      name: 'Fox \ud83e\udd8a\ud83e',
      description: `\udd8a${'x'.repeat(1999)}\ud83e\udd8a`,
      attributes: [
        { trait_type: 'Fur\ud800', value: `${'y'.repeat(255)}\ud83e\udd8a` },
        { trait_type: 'Age', value: '\udc00' },
      ],
    });
    expect(content).toEqual({
      name: 'Fox 🦊',
      description: 'x'.repeat(1999),
      attributes: [{ type: 'Fur', value: 'y'.repeat(255) }],
    });
  });

  test.each([['<html>'], ['[1]'], ['"x"'], ['null'], [''], ['{"a":'], ['['.repeat(200_000)]])(
    'is not %.20s',
    (text) => {
      expect(() => readContent(Buffer.from(text))).toThrow(/JSON/);
    },
  );

  test('is not what is no UTF-8', () => {
    expect(() => readContent(Buffer.from('{"name":"\xff"}', 'latin1'))).toThrow('neither JSON');
  });
});

test('a picture is one by its first bytes', () => {
  for (const start of ['\x89PNG\r\n\x1a\n', '\xff\xd8\xff\xe0', 'GIF89a', 'RIFF\0\0\0\0WEBPVP8 '])
    expect(isPicture(Buffer.from(start, 'latin1'))).toBe(true);
  for (const start of ['<html>', '<svg ', '{"a":1}', '\x89PN', 'RIFF\0\0\0\0WAVE', '', '%PDF-1.7'])
    expect(isPicture(Buffer.from(start, 'latin1'))).toBe(false);
});
