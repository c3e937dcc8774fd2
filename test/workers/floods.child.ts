/** A program that answers without end. */
const bytes = new Uint8Array(1 << 20);
for (;;) await Bun.write(Bun.stdout, bytes);

export {};
