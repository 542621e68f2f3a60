import type { HTTPRequest, HTTPResponse } from '../../shared/index.ts';
import { lambdaResultBytes } from './adapter.ts';
import { lostCookies, singleHeaders } from './result-body.ts';
import { methodAt, objectAt, readBody, textAt } from './event-fields.ts';
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
  recognizes: (event) => 'raw_path' in event,
  toRequest: (event) => toRequest(event, { path: 'raw_path', query: 'query_string_parameters', base64: 'is_base64_encoded' }),
  toResult,
  maxResultBytes: lambdaResultBytes,
  losses,
};

/** VPC Lattice, event version 2: header fields and query parameters are lists. */
export const latticeV2: PlatformAdapter<UnknownEvent, LatticeResult> = {
  name: 'VPC Lattice (2)',
  recognizes: (event) => {
    const requestContext = objectAt(event, 'requestContext');
    return 'serviceArn' in requestContext || 'serviceNetworkArn' in requestContext;
  },
  toRequest: (event) => toRequest(event, { path: 'path', query: 'queryStringParameters', base64: 'isBase64Encoded' }),
  toResult,
  maxResultBytes: lambdaResultBytes,
  losses,
};

/** The keys that differ between the versions. */
interface Keys {
  readonly path: string;
  readonly query: string;
  readonly base64: string;
}

/** The path may include the query string; in version 1 the map has only the last value of each name. */
function toRequest(event: UnknownEvent, keys: Keys): HTTPRequest {
  const text = textAt(event, keys.path);
  const mark = text.indexOf('?');
  return {
    method: methodAt(event, 'method', 'method'),
    path: mark < 0 ? text : text.slice(0, mark),
    queryString: mark < 0 ? encodeQuery(event[keys.query]) : text.slice(mark + 1),
    headers: readHeaders(event['headers']),
    body: readBody(event['body'], event[keys.base64]),
  };
}

function toResult(response: HTTPResponse): LatticeResult {
  return { statusCode: response.status, headers: singleHeaders(response), body: response.body ?? '', isBase64Encoded: false };
}

function losses(response: HTTPResponse): string | undefined {
  return lostCookies(response, 'VPC Lattice takes one value of each header.');
}
