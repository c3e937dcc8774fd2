import { describe, expect, test } from 'bun:test';
import { serialisableFields } from '../../workers/sandbox.ts';

describe('log lines of the embedded network', () => {
  test('an error keeps what happened and where on its way out of the thread', () => {
    const fault = new TypeError('nothing there');
    const told = structuredClone(serialisableFields({ err: fault, command: 'ledger' }));
    expect(told).toEqual({
      err: { type: 'TypeError', message: 'nothing there', stack: fault.stack! },
      command: 'ledger',
    });
  });

  test('what is no error is told as JSON would tell it', () => {
    expect(serialisableFields({ ledger: 7, left: undefined, err: 'thrown text' })).toEqual({
      ledger: 7,
      err: 'thrown text',
    });
  });
});
