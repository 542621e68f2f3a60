export { authorization } from './plugin.ts';
export type { AuthorizationOptions, RightsArgument } from './options.ts';
