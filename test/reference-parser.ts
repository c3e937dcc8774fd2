/**
 * Loaded before every test file (bunfig.toml). The reference codec copies all bytes that are left each time it has read
 * some: two thirds of what it costs, growing with the square of the length of the metadata. Here it goes on in the same bytes instead.
 * What it reads, what it refuses and its messages are its own: `read` still copies what it returns.
 */
import { BinaryParser } from 'ripple-binary-codec/dist/serdes/binary-parser';

const skipWithCopy = BinaryParser.prototype.skip;

/** `skip`, whose copy is of no bytes: it checks the length, and the rest is a view. */
BinaryParser.prototype.skip = function skip(this: BinaryParser, n: number): void {
  const own = this as unknown as { bytes: Uint8Array };
  const { bytes } = own;
  if (n >= 0 && n <= bytes.byteLength) own.bytes = bytes.subarray(n);
  else skipWithCopy.call(this, n);
};
