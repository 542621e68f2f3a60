import type { HTTPResponse } from '../message/http-response.ts';
import type { PlatformAdapter } from './adapter.ts';

/** What AWS Lambda takes as the result of a call, measured with its runtime client: 6 MiB and 100 bytes. */
export const lambdaResultBytes = 6_291_556;
/** What an Application Load Balancer takes from a function. */
export const albResultBytes = 1_048_576;

/** Room for status, headers and the names of keys. */
const besideTheBody = 4096;
/** A UTF-16 unit is at most six bytes of JSON text ("\u0007"). */
const longestEscape = 6;

type ResultLimit = Pick<PlatformAdapter, 'maxResultBytes' | 'bodyIsResult'>;

/**
 * The bytes of a result that is beyond its platform's limit; undefined when it fits. The platform counts the result as
 * JSON, in which the body is a text with every quote escaped: most bodies are so small that nothing need be counted.
 */
export function bytesBeyond({ maxResultBytes: limit, bodyIsResult }: ResultLimit, { body }: HTTPResponse): number | undefined {
  if (limit === undefined || body === null || body.length * longestEscape + besideTheBody < limit) return undefined;
  const bytes = bodyIsResult === true ? Buffer.byteLength(body) : Buffer.byteLength(JSON.stringify(body)) + besideTheBody;
  return bytes > limit ? bytes : undefined;
}
