/** How long answers of tools are at their default limits, counted by a public tokenizer. */
import { expect, test } from 'bun:test';
import { encode } from 'gpt-tokenizer';
import type { Asked } from './cut-lists.ts';

/** Tokens of an answer on average, and of the longest one. */
const AVERAGE_MAX = 1500;
export const ANSWER_MAX = 6000;

export function answerSizeTests({ tools, values, ask }: Asked): void {
  test(`at default limits: ${AVERAGE_MAX} tokens on average, at most ${ANSWER_MAX}`, async () => {
    const sizes: number[] = [];
    for (const { name, inputSchema } of tools()) {
      const { required = [] } = inputSchema;
      const sent = Object.fromEntries(required.map((one) => [one, values()[one] ?? 'x']));
      const { content, structuredContent, isError } = await ask(name, sent);
      const tokens = encode(content[0].text).length;
      expect(tokens, name).toBeLessThan(ANSWER_MAX);
      expect(structuredContent === undefined, name).toBe(isError === true);
      if (!isError) sizes.push(tokens);
    }
    const average = sizes.reduce((sum, one) => sum + one, 0) / sizes.length;
    console.log(
      `${sizes.length} answers: ${Math.round(average)} tokens on average, at most ${Math.max(...sizes)}`,
    );
    expect(sizes.length).toBeGreaterThan(tools().length / 2);
    expect(average).toBeLessThan(AVERAGE_MAX);
  });
}
