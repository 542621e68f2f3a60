import type { HTTPResponse } from '../../shared/index.ts';

/** The mark of a body in base64, for results that need no mark on text. */
export function base64Mark({ isBase64Encoded }: HTTPResponse): { isBase64Encoded?: true } {
  return isBase64Encoded === true ? { isBase64Encoded } : {};
}

/** The body as a key of a result, left out if there is none: some platforms fail on an empty body with status 204. */
export function bodyOf(response: HTTPResponse): { body?: string } {
  return response.body === null ? {} : { body: response.body };
}

/** The fields in one record, for platforms that send one `set-cookie` at most: several joined with commas would all be invalid. */
export function singleHeaders({ headers }: HTTPResponse): Record<string, string> {
  const [cookie] = headers.getSetCookie();
  return cookie === undefined ? headers.toRecord() : { ...headers.toRecord(), 'set-cookie': cookie };
}

/** For platforms that send one `set-cookie` at most: the message about the others. */
export function lostCookies(response: HTTPResponse, remedy: string): string | undefined {
  const count = response.headers.getSetCookie().length;
  return count < 2 ? undefined : `Only the first of ${count} set-cookie headers can be sent here. ${remedy}`;
}
