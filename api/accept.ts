/** Whether a client accepts the format that a route answers (406 otherwise). */
import { ApiError } from '../requests/errors.ts';
import type { Route } from './route.ts';
import { TABLE_TYPES, tableFormatOf } from './table-formats.ts';

const json = ['application/json'];

/** True in the common cases, which need no parsing: no header, any type, or JSON, without weights. */
export function acceptsWithoutParsing(accept: string | null): boolean {
  if (accept === null || accept === '' || accept === '*/*' || accept === 'application/json') return true;
  return accept.includes('*/*') && !accept.includes('q=0');
}

/** A browser asks for HTML; programs accept JSON, or any type. */
export function prefersPage(accept: string | null): boolean {
  return !!accept?.includes('text/html') && !accept.includes('application/json');
}

/** @throws ApiError not_acceptable. */
export function checkAccept(row: Route, accept: string | null, query: URLSearchParams): void {
  const table = row.table && tableFormatOf(query.get('format')?.trim().toLowerCase());
  const produces = table ? [TABLE_TYPES[table]] : (row.produces ?? json);
  if (!acceptsWithoutParsing(accept) && !produces.some((type) => accepts(accept!, type)))
    throw refused(`Accept: ${accept!.slice(0, 200)}`, produces);
  if (row.produces !== undefined || 'format' in row.params) return;
  const format = query.get('format');
  if (format && format.toLowerCase() !== 'json') throw refused(`format=${format.slice(0, 40)}`, produces);
}

function refused(asked: string, produces: readonly string[]): ApiError {
  return new ApiError('not_acceptable', `Format not available (${asked})`, {
    hint: `This address answers ${produces.join(', ')}`,
  });
}

/** Precedence of RFC 9110: the most specific range that matches decides, and `q=0` refuses. */
function accepts(accept: string, type: string): boolean {
  const [group] = type.split('/');
  let decided = -1;
  let taken = false;
  for (const range of accept.toLowerCase().split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim());
    const rank = name === type ? 2 : name === `${group}/*` ? 1 : name === '*/*' ? 0 : -1;
    if (rank < 0 || rank < decided) continue;
    decided = rank;
    taken = !parameters.some((parameter) => /^q\s*=\s*0(\.0*)?$/.test(parameter));
  }
  return taken;
}
