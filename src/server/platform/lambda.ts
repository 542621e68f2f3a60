import type { PlatformAdapter } from './adapter.ts';
import { applicationLoadBalancer } from './alb.ts';
import { directInvoke } from './direct-invoke.ts';
import { functionURL, httpAPI } from './http-api.ts';
import { latticeV1, latticeV2 } from './lattice.ts';
import { ping } from './ping.ts';
import { restAPI } from './rest-api.ts';

/** Every source of HTTP requests on AWS Lambda. The order matters: a REST API's event has no unique key. */
export const lambdaAdapters: readonly PlatformAdapter<never>[] = [
  httpAPI,
  functionURL,
  applicationLoadBalancer,
  latticeV2,
  latticeV1,
  restAPI,
  directInvoke,
  ping,
];
