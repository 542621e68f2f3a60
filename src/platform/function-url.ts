import { objectAt, textAt } from './adapter.ts';
import type { PlatformAdapter } from './adapter.ts';
import { httpAPI } from './http-api.ts';

/** A Lambda function URL: the payload format 2.0 of the HTTP API, told apart by its domain only. */
export const functionURL: typeof httpAPI = {
  ...httpAPI,
  name: 'Lambda function URL',
  // Nobody stands between the client and Lambda, which tells its own limit.
  timeLimit: () => undefined,
  recognises: (event) => httpAPI.recognises(event) && textAt(objectAt(event, 'requestContext'), 'domainName').includes('.lambda-url.'),
} satisfies PlatformAdapter;
