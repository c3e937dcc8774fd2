import { expect, test } from 'bun:test';
import { KeptTexts } from '../../../engine/state/kept-texts.ts';

test('the text of every id, made once while it has its place', () => {
  let made = 0;
  const make = (id: number): string => {
    made++;
    return `text ${id}`;
  };
  const texts = new KeptTexts({ isAttached: false }, make, 8);
  for (let round = 0; round < 3; round++)
    for (let id = 0; id < 8; id++) expect(texts.of(id)).toBe(`text ${id}`);
  expect(made).toBe(8);
  for (const id of [0, 8, 0, 16, 8, 3, 11, 3]) expect(texts.of(id)).toBe(`text ${id}`);
});

test('in a thread that reads the rows of another one nothing is kept', () => {
  let text = 'half of';
  const texts = new KeptTexts({ isAttached: true }, (id) => `${text} ${id}`);
  expect(texts.of(3)).toBe('half of 3');
  text = 'all of';
  expect(texts.of(3)).toBe('all of 3');
});
