import type { Route } from '../route.ts';

export const statsRoutes: Route[] = [];
