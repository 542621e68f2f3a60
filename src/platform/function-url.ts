import type { PlatformAdapter } from './adapter.ts';
import { httpAPI, isFromFunctionURL, isPayloadV2 } from './http-api.ts';

/** A Lambda function URL: the payload format 2.0 of the HTTP API, told apart by its domain only. */
export const functionURL: typeof httpAPI = {
  ...httpAPI,
  name: 'Lambda function URL',
  // Nobody stands between the client and Lambda, which tells its own limit.
  timeLimit: () => undefined,
  recognises: (event) => isPayloadV2(event) && isFromFunctionURL(event),
} satisfies PlatformAdapter;
