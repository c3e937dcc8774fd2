/** QR codes of every version, against a reader of the test's own. */
import { describe, expect, test } from 'bun:test';
import { qrCode } from '../../web/qr.ts';
import { textOf } from './qr-reader.ts';

describe('a QR code', () => {
  // The most that each version holds, and one more.
  const most = [14, 26, 42, 62, 84, 106, 122, 152, 180, 213];

  test.each(most.map((length, i) => [i + 1, length] as const))(
    'of version %p holds %p bytes',
    (version, length) => {
      const text = 'ripple:rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh?amount=1.5&dt=100001;'
        .repeat(4)
        .slice(0, length);
      for (const [one, expected] of [
        [text, version],
        [`${text}+`, version + 1],
      ] as const) {
        if (expected > 10) continue;
        const rows = qrCode(one);
        expect((rows.length - 17) / 4).toBe(expected);
        expect(textOf(rows)).toBe(one);
      }
    },
  );

  test('of nothing, and of letters of several bytes', () => {
    for (const text of ['', 'é€😀', '\u0000\u00ff']) expect(textOf(qrCode(text))).toBe(text);
  });

  test('of more than fits is refused', () => expect(() => qrCode('x'.repeat(214))).toThrow(RangeError));
});
