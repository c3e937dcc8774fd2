import type { Route } from '../route.ts';

export const ledgerRoutes: Route[] = [];
