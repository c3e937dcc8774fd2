/** Lists of amendments for a new network. */
import { expect, test } from 'bun:test';
import {
  chosenAmendments,
  differenceOf,
  usualAmendments,
} from '../../../sandbox/protocol/amendment-choice.ts';
import { AMENDMENTS, amendmentId, rulesOfIds } from '../../../sandbox/protocol/amendments.ts';

const namesOf = (ids: readonly string[]): string[] => [...rulesOfIds(ids).names].sort();
const always = AMENDMENTS.filter(({ retired }) => retired).map(({ name }) => name);

test('names and ids are equivalent, and the retired amendments are included', () => {
  const byName = chosenAmendments('AMM, XRPFees');
  expect(chosenAmendments(`${amendmentId('XRPFees').toLowerCase()}\n${amendmentId('AMM')}`)).toEqual(byName);
  expect(namesOf(byName.ids)).toEqual([...always, 'AMM', 'XRPFees'].sort());
  expect(byName.ids).toEqual([...byName.ids].sort());
  expect(namesOf(chosenAmendments('Flow').ids)).toEqual([...always].sort());
});

test('a rippled configuration names them in its section', () => {
  const text =
    '# [features]\n[network_id]\n0\n[features]\n# of 2024\nAMM\nDID # and nothing else\n\n[voting]\nreference_fee = 200';
  expect(chosenAmendments(text)).toEqual(chosenAmendments('AMM,DID'));
});

test('an empty list is refused', () => {
  for (const text of ['', ' ,\n# AMM', '[features]\n\n[voting]\nAMM'])
    expect(() => chosenAmendments(text)).toThrow('names or ids of known amendments (there is none)');
});

test('unknown names are all reported; known but unimplemented ones are left out', () => {
  expect(() => chosenAmendments('AMM Amm,DID fixEverything')).toThrow(
    'names or ids of known amendments (unknown: Amm, fixEverything)',
  );
  const unbuilt = AMENDMENTS.filter(({ built }) => !built).map(({ name }) => name);
  const { ids, notBuilt } = chosenAmendments(['AMM', ...unbuilt].join());
  expect(notBuilt).toEqual(unbuilt);
  expect(ids).toEqual(chosenAmendments('AMM').ids);
});

test('a difference is described from both sides', () => {
  const usual = usualAmendments();
  expect(differenceOf(usual, [...usual].reverse())).toBeUndefined();
  const other = chosenAmendments(
    [...rulesOfIds(usual).names].filter((name) => name !== 'AMM' && name !== 'DID').join(),
  ).ids;
  expect(differenceOf(other, usual)).toBe('without AMM, DID');
  expect(differenceOf([...other, 'F'.repeat(64)], usual)).toBe(`without AMM, DID and with ${'F'.repeat(64)}`);
});
