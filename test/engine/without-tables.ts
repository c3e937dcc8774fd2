/** The same store as a version without some tables would have written it. */
import { layoutsName } from '../../engine/state/layout.ts';
import type { Store } from '../../engine/store.ts';

export function withoutTables(store: Store, tables: readonly number[]): Store {
  const layouts = tables.map(layoutsName);
  return new Proxy(store, {
    get(target, name) {
      if (name === 'value') return (key: string) => (layouts.includes(key) ? undefined : target.value(key));
      if (name === 'blocks')
        return (...[id, visit, from]: Parameters<Store['blocks']>) =>
          tables.includes(id) ? undefined : target.blocks(id, visit, from);
      if (name === 'rows')
        return (visit: Parameters<Store['rows']>[0]) =>
          target.rows((id, row, image) => {
            if (!tables.includes(id)) visit(id, row, image);
          });
      const member = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
