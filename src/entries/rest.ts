export { rest, restDefinitions } from '../extensions/rest/index.ts';
export type { RESTInfo, RESTOptions, RESTPlugin } from '../extensions/rest/index.ts';
export type { ServerPlugin } from '../server/index.ts';
