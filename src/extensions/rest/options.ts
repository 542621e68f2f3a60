import { boolean, isListOfText, isRecord } from '../../shared/index.ts';
import type { Expectation } from '../../shared/index.ts';
import type { JSONSchema, ScalarSchemas } from '../json-schema/index.ts';

/** The title of the API, and more for its readers: the Info Object of OpenAPI 3.1. */
export interface RESTInfo {
  readonly title: string;
  readonly version: string;
  readonly [member: string]: unknown;
}

/** Options of {@link rest}. */
export interface RESTOptions {
  /** The part of the path before the routes, anywhere in the path of a request. Default: '/rest' */
  readonly path?: string | undefined;
  /** The object `info` of the OpenAPI document. Default: `{ title: 'REST API', version: '1' }` */
  readonly info?: RESTInfo | undefined;
  /** The list `servers` of the OpenAPI document. Default: a URL relative to the document */
  readonly servers?: readonly { readonly url: string; readonly [member: string]: unknown }[] | undefined;
  /** The security schemes of the OpenAPI document, by name, in place of a bearer token. Default: those that `authorization()` needs */
  readonly securitySchemes?: Readonly<Record<string, JSONSchema>> | undefined;
  /** Serve the document at `<path>/openapi.json`. Default: true */
  readonly openapi?: boolean | undefined;
  /**
   * JSON Schemas of custom scalars, by name. A value in a URL is sent as a number or boolean if the `type` says so. Default: known scalars by
   * their `@specifiedBy`, any value for others
   */
  readonly scalars?: ScalarSchemas | undefined;
  /** Parameters of the query string that no variable takes, such as 'utm_source'. Others are refused with 400. Default: none */
  readonly otherParameters?: readonly string[] | undefined;
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const records: Expectation = { words: 'an object', holds: isRecord };

export const expectations: Readonly<Record<keyof RESTOptions, Expectation>> = {
  path: { words: "a part of a path such as '/rest'", holds: (value) => typeof value === 'string' && /^(?:\/[\w.~-]*\w)+$/.test(value) },
  info: {
    words: "an object like { title: 'Books', version: '1.0.0' }",
    holds: (value) => isRecord(value) && isText(value['title']) && isText(value['version']),
  },
  servers: {
    words: "a list such as [{ url: 'https://api.example.com/rest' }]",
    holds: (value) => Array.isArray(value) && value.length > 0 && value.every((one) => isRecord(one) && isText(one['url'])),
  },
  securitySchemes: { words: "an object like { key: { type: 'apiKey', in: 'header', name: 'x-api-key' } }", holds: isRecord, each: records },
  openapi: boolean,
  scalars: { words: "an object like { Date: { type: 'string' } }", holds: isRecord, each: { words: 'a JSON Schema', holds: isRecord } },
  otherParameters: { words: "a list of names such as ['utm_source']", holds: isListOfText },
};
