export { authorization } from '../extensions/authorization/index.ts';
export type { AuthorizationOptions, RightsArgument } from '../extensions/authorization/index.ts';
export type { ServerPlugin } from '../server/index.ts';
