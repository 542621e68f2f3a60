export { cacheControlDefinitions } from './extensions/cache-hints/annotations.ts';
export type { ResolveInfoCacheControl } from './extensions/cache-hints/field-policy.ts';
export type { CacheAnnotation, CacheHint, CachePolicy, CacheScope } from './extensions/cache-hints/policy.ts';
export type { CDN } from './extensions/edge/dialects.ts';
export type { EdgeDecision, EdgeOptions } from './extensions/edge/options.ts';
export { edge } from './extensions/edge/plugin.ts';
export type { Edge } from './extensions/edge/plugin.ts';
export type { PurgeRequest } from './extensions/edge/purges.ts';
export type { Purge } from './extensions/edge/purge.ts';
