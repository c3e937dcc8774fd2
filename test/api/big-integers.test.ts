/** Integers that a double cannot hold are sent as text, whatever a row answered before. */
import { expect, test } from 'bun:test';
import { envelope } from '../../api/reply.ts';
import type { Route } from '../../api/route.ts';
import { routes } from '../../api/routes/index.ts';

const LARGE = 2n ** 64n - 1n;

function answered(row: Route, answer: object): unknown {
  const body = envelope(row, answer, { took: 0, attribution: undefined });
  return JSON.parse(new TextDecoder().decode(body));
}

test('integers that a double cannot hold are text, in the first answer of a row and in later ones', () => {
  const row = { ...routes.find(({ bare, successAs }) => !bare && !successAs)! };
  const plain = { rows: [{ a: 1, b: 'x', c: null, d: undefined }] };
  const shown = { success: true, took: 0, rows: [{ a: 1, b: 'x', c: null }] };
  const large = { rows: [{ a: LARGE, b: [LARGE] }] };
  expect(answered(row, plain)).toEqual(shown);
  for (let i = 0; i < 2; i++)
    expect(answered(row, large)).toEqual({
      success: true,
      took: 0,
      rows: [{ a: String(LARGE), b: [String(LARGE)] }],
    });
  expect(answered(row, plain)).toEqual(shown);
});

test('what is no JSON at all is refused', () => {
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  expect(() => answered({ ...routes[0]! }, circle)).toThrow(TypeError);
});
