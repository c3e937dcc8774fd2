/** The `fields` parameter. */
import { describe, expect, test } from 'bun:test';
import { fieldsOf, onlyFields } from '../../api/fields.ts';
import { emptyLedger, fixture } from './fixture.ts';

const only = (answer: object, ...names: string[]) =>
  JSON.parse(
    new TextDecoder().decode(onlyFields(new TextEncoder().encode(JSON.stringify(answer)), names)),
  ) as unknown;

const answer = {
  success: true,
  attribution: 'Data by Millrace',
  took: 1,
  count: 2,
  tokens: [
    { md5: 'a', name: 'A', exch: '1' },
    { md5: 'b', exch: '2' },
  ],
  global: { total: 5 },
};
const { success, attribution, took } = answer;
const head = { success, attribution, took };

test('names at the top keep those members and the envelope', () => {
  expect(only(answer, 'count', 'global')).toEqual({ ...head, count: 2, global: { total: 5 } });
  expect(Object.keys(only(answer, 'count', 'global') as object)[0]).toBe('success');
});

test('other names keep members of rows and objects below', () => {
  expect(only(answer, 'count', 'name')).toEqual({ ...head, count: 2, tokens: [{ name: 'A' }, {}] });
  const both = { ...answer, exch: { USD: 1 } };
  expect(only(both, 'md5', 'exch')).toEqual({
    ...head,
    exch: { USD: 1 },
    tokens: [
      { md5: 'a', exch: '1' },
      { md5: 'b', exch: '2' },
    ],
  });
  expect(only(answer, 'total')).toEqual({ ...head, global: { total: 5 } });
  expect(only(answer, 'nothing', '__proto__', 'constructor')).toEqual(head);
});

test('nothing asked is everything', () => {
  for (const query of ['', 'fields=', 'fields=,%20,'])
    expect(fieldsOf(new URLSearchParams(query))).toBeUndefined();
  expect(fieldsOf(new URLSearchParams('fields=a,b&fields=b, c'))).toEqual(['a', 'b', 'c']);
  expect(fieldsOf(new URLSearchParams(`fields=${'x,'.repeat(500)}${'y'.repeat(90)}`))).toEqual(['x']);
});

describe('through the whole server', () => {
  const { get } = fixture([emptyLedger(100, 500_000_000)]);
  const keys = async (path: string) => Object.keys((await (await get(path)).json()) as object);

  test('the kept answer of one choice is not that of another', async () => {
    const all = await keys('/v1/ledger');
    expect(all).toContain('ledger_hash');
    const envelope = ['success', 'attribution', 'took'];
    expect(await keys('/v1/ledger?fields=ledger_index')).toEqual([...envelope, 'ledger_index']);
    expect(await keys('/v1/ledger?fields=txn_count,ledger_index')).toEqual([
      ...envelope,
      'ledger_index',
      'txn_count',
    ]);
    expect(await keys('/v1/ledger?fields=ledger_index&x=1')).toEqual([...envelope, 'ledger_index']);
    expect(await keys('/v1/ledger')).toEqual(all);
  });

  test('documents without an envelope are not filtered', async () => {
    expect(await keys('/v1/openapi.json?fields=info')).toContain('paths');
  });
});
