export { rest } from './plugin.ts';
export type { RESTPlugin } from './plugin.ts';
export { restDefinitions } from './directives.ts';
export type { RESTInfo, RESTOptions } from './options.ts';
