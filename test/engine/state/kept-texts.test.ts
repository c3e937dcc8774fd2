import { expect, test } from 'bun:test';
import { KeptTexts } from '../../../engine/state/kept-texts.ts';

test('the text of every id, made once while it has its place', () => {
  let made = 0;
  const texts = new KeptTexts(8, (id) => {
    made++;
    return `text ${id}`;
  });
  for (let round = 0; round < 3; round++)
    for (let id = 1; id < 8; id++) expect(texts.of(id)).toBe(`text ${id}`);
  expect(made).toBe(7);
  for (const id of [0, 8, 0, 16, 8, 3, 11, 3]) expect(texts.of(id)).toBe(`text ${id}`);
});
