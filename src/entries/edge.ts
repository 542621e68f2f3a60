export {
  cacheControlDefinitions,
  cloudFrontPurge,
  cloudflarePurge,
  edge,
  fastlyPurge,
  netlifyPurge,
  vercelPurge,
} from '../extensions/edge/index.ts';
export type {
  CDN,
  CacheAnnotation,
  CacheHint,
  CachePolicy,
  CacheScope,
  Edge,
  EdgeDecision,
  EdgeOptions,
  InvalidationInput,
  Purge,
  PurgeClient,
  PurgePlatform,
  PurgeRequest,
  ResolveInfoCacheControl,
} from '../extensions/edge/index.ts';
export type { ServerPlugin } from '../server/index.ts';
