/** What answers of tools say of lists that they show in part, compared with the whole lists. */
import { expect, test } from 'bun:test';
import type { Json } from '../routes/ask.ts';
import type { Listed } from './served.ts';

export interface Asked {
  readonly tools: () => readonly Listed[];
  /** Values of required parameters, by name. */
  readonly values: () => Readonly<Record<string, unknown>>;
  /** The result of a call. */
  ask(name: string, sent: object): Promise<Json>;
}

/** Lists that hold a page, whose length is that of the whole at the time only. */
const listsOf = (value: Json, path = ''): [string, Json[]][] =>
  Object.entries(value ?? {}).flatMap(([name, inner]) =>
    Array.isArray(inner)
      ? [[`${path}${name}`, inner] as [string, Json[]]]
      : typeof inner === 'object' && path.split('.').length < 3
        ? listsOf(inner, `${path}${name}.`)
        : [],
  );

const SHOWING = /^(\S+) \(showing (\d+) of (\d+)(?:, from (\d+))?\)$/gm;
const NEXT = /^more: (\w+) (\{.*\})$/m;

/** Calls that follow one another, at most. */
const STEPS = 3;

export function cutListTests({ tools, values, ask }: Asked): void {
  const sentOf = ({ inputSchema: { required = [] } }: Listed) =>
    Object.fromEntries(required.map((name) => [name, values()[name] ?? 'x']));

  test('a list that is cut says of how many, and so does none that is not', async () => {
    let cut = 0;
    for (const tool of tools()) {
      const { limit } = tool.inputSchema.properties;
      const sent = sentOf(tool);
      const few = limit ? await ask(tool.name, { ...sent, limit: 1 }) : await ask(tool.name, sent);
      const most = limit ? await ask(tool.name, { ...sent, limit: limit.maximum }) : few;
      if (few.isError) continue;
      const lists = new Map(listsOf(most.structuredContent));
      for (const [, name, shown, of] of few.content[0].text.matchAll(SHOWING)) {
        expect(listsOf(few.structuredContent).find(([one]) => one === name)?.[1], tool.name).toHaveLength(
          Number(shown),
        );
        expect(Number(of), `${tool.name} ${name}`).toBeGreaterThanOrEqual(lists.get(name!)!.length);
        if (lists.get(name!)!.length < Number(of))
          expect(most.content[0].text, tool.name).toContain(
            `${name} (showing ${lists.get(name!)!.length} of ${of})`,
          );
        cut++;
      }
    }
    expect(cut).toBeGreaterThan(10);
  });

  test('the call that a cut list names gives what follows, until there is nothing', async () => {
    let followed = 0;
    for (const tool of tools()) {
      const sent = { ...sentOf(tool), ...(tool.inputSchema.properties.limit && { limit: 2 }) };
      let answer = await ask(tool.name, sent);
      for (let step = 0; step < STEPS && !answer.isError; step++) {
        const [, next, args] = NEXT.exec(answer.content[0].text) ?? [];
        if (next === undefined) break;
        const [[, name]] = [...answer.content[0].text.matchAll(SHOWING)];
        const before = new Map(listsOf(answer.structuredContent)).get(name)!;
        const after = await ask(next, JSON.parse(args!));
        expect(after.isError, `${next} ${args}`).toBeUndefined();
        const rows = new Map(listsOf(after.structuredContent)).get(name) ?? [];
        const seen = new Set(before.map((row) => JSON.stringify(row)));
        const fresh = rows.filter((row) => !seen.has(JSON.stringify(row)));
        expect(fresh.length, `${next} ${args}`).toBeGreaterThan(0);
        if (args!.includes('"offset"')) expect(fresh).toHaveLength(rows.length);
        answer = after;
        followed++;
      }
    }
    expect(followed).toBeGreaterThan(10);
  });

  test('groups are counted as groups', async () => {
    const sent = { min_marketcap: 0, min_holders: 0, inactive_days: 90, limit: 2 };
    const of = async (more: object) =>
      (await ask('get_tokens_by_category', { ...sent, ...more })).content[0].text;
    const all = await ask('get_tokens_by_category', { ...sent, limit: 100, group_by: 'issuer' });
    const { issuers, total, selected } = all.structuredContent;
    expect([issuers.length, selected > total]).toEqual([total, true]);
    expect(all.content[0].text).toContain(`issuers (${total})`);
    expect(await of({ group_by: 'issuer' })).toContain(`issuers (showing 2 of ${total})`);
    expect(await of({})).toContain(`tokens (showing 2 of ${selected})`);
  });
}
