/** The same store as a version in which a column of a table had another name would have written it. */
import { layoutIdOf, layoutsName, type StoredLayout } from '../../engine/state/layout.ts';
import type { Store } from '../../engine/store.ts';

export function withColumnNamed(store: Store, table: number, now: string, before: string): Store {
  const layouts = store.value(layoutsName(table)) as readonly StoredLayout[];
  const older = layouts.map(({ columns }) => {
    const renamed = columns.map((one) => (one.name === now ? { ...one, name: before } : one));
    return { id: layoutIdOf(renamed), columns: renamed };
  });
  /** Blocks and images of rows begin with the id of their layout. */
  const asOlder = (bytes: Uint8Array): Uint8Array => {
    const copy = bytes.slice();
    const view = new DataView(copy.buffer);
    const at = layouts.findIndex(({ id }) => id === view.getUint32(0, true));
    view.setUint32(0, older[at]!.id, true);
    return copy;
  };
  return new Proxy(store, {
    get(target, name) {
      if (name === 'value') return (key: string) => (key === layoutsName(table) ? older : target.value(key));
      if (name === 'blocks')
        return (...[id, visit, from]: Parameters<Store['blocks']>) =>
          target.blocks(id, id === table ? (block, bytes) => visit(block, asOlder(bytes)) : visit, from);
      if (name === 'rows')
        return (visit: Parameters<Store['rows']>[0]) =>
          target.rows((id, row, image) => visit(id, row, id === table ? asOlder(image) : image));
      const member = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
