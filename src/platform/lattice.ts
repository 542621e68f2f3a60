import type { HTTPRequest, HTTPResponse } from '../message/http-messages.ts';
import { methodAt, objectAt, textAt, readBody, lostCookies, plainHeaders, lambdaResultBytes } from './adapter.ts';
import type { PlatformAdapter, UnknownEvent } from './adapter.ts';
import { readHeaders } from './event-headers.ts';
import { encodeQuery } from './event-query.ts';

/** The result that VPC Lattice takes, for events of both versions. */
export interface LatticeResult {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isBase64Encoded: false;
}

/** VPC Lattice, event version 1: keys in snake_case. */
export const latticeV1: PlatformAdapter<UnknownEvent, LatticeResult> = {
  name: 'VPC Lattice (1)',
  recognises: (event) => 'raw_path' in event,
  toRequest: toRequestV1,
  toResult,
  maxResultBytes: lambdaResultBytes,
  losses,
};

/** VPC Lattice, event version 2: header fields and query parameters are lists. */
export const latticeV2: PlatformAdapter<UnknownEvent, LatticeResult> = {
  name: 'VPC Lattice (2)',
  recognises: (event) => {
    const requestContext = objectAt(event, 'requestContext');
    return 'serviceArn' in requestContext || 'serviceNetworkArn' in requestContext;
  },
  toRequest: toRequestV2,
  toResult,
  maxResultBytes: lambdaResultBytes,
  losses,
};

/** The path may include the query string; the map has only the last value of each name. */
function toRequestV1(event: UnknownEvent): HTTPRequest {
  const [path, queryString] = splitAtQuestionMark(textAt(event, 'raw_path'));
  return {
    method: methodAt(event, 'method', 'method'),
    path,
    queryString: queryString ?? encodeQuery(event['query_string_parameters']),
    headers: readHeaders(event['headers']),
    body: readBody(event['body'], event['is_base64_encoded']),
  };
}

function toRequestV2(event: UnknownEvent): HTTPRequest {
  const [path, queryString] = splitAtQuestionMark(textAt(event, 'path'));
  return {
    method: methodAt(event, 'method', 'method'),
    path,
    queryString: queryString ?? encodeQuery(event['queryStringParameters']),
    headers: readHeaders(event['headers']),
    body: readBody(event['body'], event['isBase64Encoded']),
  };
}

function splitAtQuestionMark(text: string): [path: string, queryString?: string] {
  const mark = text.indexOf('?');
  return mark < 0 ? [text] : [text.slice(0, mark), text.slice(mark + 1)];
}

function toResult(response: HTTPResponse): LatticeResult {
  const [cookie] = response.headers.getSetCookie();
  return {
    statusCode: response.status,
    headers: cookie === undefined ? plainHeaders(response) : { ...plainHeaders(response), 'set-cookie': cookie },
    body: response.body ?? '',
    isBase64Encoded: false,
  };
}

function losses(response: HTTPResponse): string | undefined {
  return lostCookies(response, 'VPC Lattice takes one value of each header.');
}
