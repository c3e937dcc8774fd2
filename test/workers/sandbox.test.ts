import { describe, expect, test } from 'bun:test';
import { serialisableFields } from '../../workers/sandbox.ts';

describe('log lines of the embedded network', () => {
  test('an error keeps what happened and where on its way out of the thread', () => {
    const fault = new TypeError('nothing there');
    const logged = structuredClone(serialisableFields({ err: fault, command: 'ledger' }));
    expect(logged).toEqual({
      err: { type: 'TypeError', message: 'nothing there', stack: fault.stack! },
      command: 'ledger',
    });
  });

  test('a value that is not an error is logged as in JSON', () => {
    expect(serialisableFields({ ledger: 7, left: undefined, err: 'thrown text' })).toEqual({
      ledger: 7,
      err: 'thrown text',
    });
  });
});
