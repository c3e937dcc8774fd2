/** The route table: the arrays of the sections, joined. */
import type { Route } from '../route.ts';
import { ledgerRoutes } from './ledger.ts';
import { serviceRoutes } from './service.ts';
import { statsRoutes } from './stats.ts';

export const routes: readonly Route[] = [...serviceRoutes, ...ledgerRoutes, ...statsRoutes];
