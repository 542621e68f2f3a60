import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

import { buildClientSchema, getIntrospectionQuery, introspectionFromSchema } from 'graphql';
import type { GraphQLSchema, IntrospectionOptions, IntrospectionQuery } from 'graphql';

import { messageOf } from '../../../shared/index.ts';
import { schemaOfText } from '../check/schema-of-text.ts';

/** The earlier schema could not be read; the message says what was expected. */
export class CannotCompareError extends Error {}

/** The schema that the project's schema is compared with. */
export interface EarlierSchema {
  readonly schema: GraphQLSchema;
  /** Its text and file, if it is a file of SDL. */
  readonly file?: { readonly path: string; readonly text: string };
}

/** Git may print a schema of this size; Node's default is 1 MiB. */
const maxBytes = 64 * 1024 * 1024;

const timeoutMs = 30_000;

/** Reads SDL or introspection JSON from a file, a URL or `git:<ref>:<path>`. Throws a CannotCompareError. */
export async function readEarlierSchema(source: string, directory: string): Promise<EarlierSchema> {
  try {
    if (/^https?:\/\//.test(source)) return { schema: await fetchSchema(source) };
    if (source.startsWith('git:')) return { schema: toSchema(await showInGit(source.slice('git:'.length), directory)) };
    const path = resolve(directory, source);
    const text = await readFile(path, 'utf8');
    return { schema: toSchema(text), ...(!isJSON(text) && { file: { path, text } }) };
  } catch (error) {
    throw new CannotCompareError(`Cannot read the earlier schema from ${source}: ${messageOf(error)}`, { cause: error });
  }
}

async function showInGit(object: string, directory: string): Promise<string> {
  if (!/^[^:]+:./.test(object)) throw new Error('expected git:<ref>:<path>, for example git:main:schema.graphql.');
  const { stdout } = await promisify(execFile)('git', ['show', '--end-of-options', object], { cwd: directory, maxBuffer: maxBytes });
  return stdout;
}

/** A file on a server is sent by GET. A GraphQL endpoint answers GET with an error or a page, and an introspection query by POST. */
async function fetchSchema(url: string): Promise<GraphQLSchema> {
  const file = await request(url, { headers: { accept: 'application/json, text/plain, */*;q=0.5' } });
  if (file.ok && !isPage(file)) {
    try {
      return toSchema(file.text);
    } catch (error) {
      // A JSON answer that is not introspection is that of an endpoint.
      if (!isJSON(file.text)) throw error;
    }
  }
  const answer = await introspect(url, { inputValueDeprecation: true, experimentalDirectiveDeprecation: true });
  if (!isJSON(answer.text))
    throw new Error(
      `expected SDL or introspection JSON, got status ${file.status} for GET and ${answer.status} for an introspection query.`,
    );
  try {
    return toSchema(answer.text);
  } catch {
    return toSchema((await introspectOlder(url)).text);
  }
}

/** Servers before graphql 17 refuse a query for deprecated directives, and those before 15 one for deprecated arguments. */
async function introspectOlder(url: string): Promise<Answer> {
  const answer = await introspect(url, { inputValueDeprecation: true });
  return answer.ok && !answer.text.includes('"errors"') ? answer : introspect(url, {});
}

async function introspect(url: string, options: IntrospectionOptions): Promise<Answer> {
  return request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json, application/json' },
    body: JSON.stringify({ query: getIntrospectionQuery(options) }),
  });
}

interface Answer {
  readonly ok: boolean;
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

async function request(url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(timeoutMs) }).catch((error: Error) => {
    // The message is only "fetch failed". If a host has several addresses, its cause has a code and no message.
    const { message = '', code = '' } = (error.cause ?? {}) as Partial<NodeJS.ErrnoException>;
    throw new Error([error.message, message || code].filter((part) => part !== '').join(': '), { cause: error });
  });
  const { ok, status, headers } = response;
  return { ok, status, type: headers.get('content-type') ?? '', text: await response.text() };
}

function isPage({ type }: Answer): boolean {
  return type.startsWith('text/html');
}

/** SDL never begins with a brace. */
function isJSON(text: string): boolean {
  return text.trimStart().startsWith('{');
}

/** Both forms become a client's view of the schema, which is how the project's schema is read. */
function toSchema(text: string): GraphQLSchema {
  return buildClientSchema(isJSON(text) ? toIntrospection(text) : introspectionFromSchema(schemaOfText(text)));
}

function toIntrospection(text: string): IntrospectionQuery {
  const content = JSON.parse(text) as { data?: IntrospectionQuery | null; errors?: readonly { message?: unknown }[] } & IntrospectionQuery;
  const introspection = content.data ?? content;
  if (typeof introspection.__schema === 'object') return introspection;
  const [error] = content.errors ?? [];
  throw new Error(
    `expected introspection JSON with __schema, got ${error === undefined ? 'other JSON' : `the error "${String(error.message)}"`}.`,
  );
}
