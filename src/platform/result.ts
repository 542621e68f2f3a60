import type { HTTPResponse } from '../message/http-response.ts';

/** All fields but `set-cookie`, as a plain object. */
export function plainHeaders(response: HTTPResponse): Record<string, string> {
  return response.headers.toRecord();
}

/** The body as a key of a result, left out when there is none: some platforms fail on an empty one with status 204. */
export function bodyOf(response: HTTPResponse): { body?: string } {
  return response.body === null ? {} : { body: response.body };
}

/** For platforms that carry one `set-cookie` at most: joining several with commas would break all of them. */
export function lostCookies(response: HTTPResponse, remedy: string): string | undefined {
  const count = response.headers.getSetCookie().length;
  return count < 2 ? undefined : `Only the first of ${count} set-cookie headers can be sent here. ${remedy}`;
}

/** What AWS Lambda takes as the result of a call, measured with its runtime client: 6 MiB and 100 bytes. */
export const lambdaResultBytes = 6_291_556;
/** What an Application Load Balancer takes from a function. */
export const albResultBytes = 1_048_576;
