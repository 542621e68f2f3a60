import { Kind } from 'graphql';

import type { ServerPlugin } from '../../../../src/entries/index.ts';
import { mcp } from '../../../../src/entries/mcp.ts';
import { rest } from '../../../../src/entries/rest.ts';
import { parseParts } from '../../../support/multipart.ts';
import { resultsOf } from '../../../support/sse.ts';
import type { RandomOperation } from './operations.ts';
import type { Server } from './serving.ts';

/** An operation that a door sends. `id`: that of its trusted document. */
export interface Sent {
  readonly operation: RandomOperation;
  readonly id: string;
}

/** An answer to one operation. */
export interface Answer {
  /** Undefined: the door has none for a single operation. */
  readonly status: number | undefined;
  /** `WWW-Authenticate` of a refused MCP tool, which has no body. */
  readonly challenge?: string;
  readonly body: { readonly data?: unknown; readonly errors?: readonly { readonly message: string; readonly extensions?: any }[] };
}

/** A way in. */
export interface Door {
  readonly name: string;
  readonly takes: (operation: RandomOperation) => boolean;
  /** The operations that it takes at once. */
  readonly atOnce: number;
  readonly send: (server: Server, sent: readonly Sent[]) => Promise<readonly Answer[]>;
  /** The documents of a door that needs its own. */
  readonly own?: OwnDocuments;
}

export interface OwnDocuments {
  /** The plugin that reads them. */
  readonly plugin: () => ServerPlugin;
  /** The id of the document of an operation. */
  readonly idOf: (id: string) => string;
  /** Undefined: the operation cannot have one. */
  readonly textOf: (operation: RandomOperation, id: string) => string | undefined;
}

const url = 'https://api.example/graphql';
let keys = 0;

async function post(server: Server, body: unknown, accept = 'application/json'): Promise<Answer> {
  const headers = { 'content-type': 'application/json', 'idempotency-key': `"key-${keys++}"`, accept };
  return read(await server.handler(new Request(url, { method: 'POST', headers, body: JSON.stringify(body) }), {}));
}

async function read(response: Response): Promise<Answer> {
  const text = await response.text();
  const type = response.headers.get('content-type') ?? '';
  const [first] = type.startsWith('text/event-stream')
    ? resultsOf(text)
    : type.startsWith('multipart/')
      ? parseParts(text)
      : [JSON.parse(text)];
  // An event stream begins before its operation does.
  const isStream = type.startsWith('text/event-stream');
  return { status: isStream ? undefined : response.status, body: first as Answer['body'] };
}

function bodyOf({ operation: { text, variables, operationName } }: Sent): object {
  return { query: text, variables, operationName };
}

function acceptFor({ kind, isDeferred }: RandomOperation): string {
  if (kind === 'subscription') return 'text/event-stream';
  return isDeferred ? 'multipart/mixed, application/json' : 'application/json';
}

/** The document of an operation with a directive. Undefined: no door may have such an operation as its own. */
function withDirective({ text, document, kind }: RandomOperation, directive: string): string | undefined {
  const [operation, other] = document.definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
  if (kind === 'subscription' || other !== undefined || /@defer|@stream|__schema|__type\(/.test(text)) return undefined;
  const at = operation!.selectionSet.loc!.start;
  return `${text.slice(0, at)} ${directive} ${text.slice(at)}`;
}

const tools: OwnDocuments = {
  plugin: () => mcp({ name: 'api', version: '1' }),
  idOf: (id) => `tool${id}`,
  textOf: (operation, id) => withDirective(operation, `@mcpTool(name: "tool${id}", description: "Runs ${id}")`),
};

const routes = (method: 'GET' | 'POST'): OwnDocuments => ({
  plugin: rest,
  idOf: (id) => `${method}${id}`,
  textOf: (operation, id) =>
    method === 'GET' && operation.kind !== 'query' ? undefined : withDirective(operation, `@http(method: ${method}, route: "/${id}")`),
});

async function route(
  server: Server,
  { operation, id }: Sent,
  { search = '', ...init }: RequestInit & { search?: string },
): Promise<Answer> {
  const response: Response = await server.handler(new Request(`${url}/rest/${id}${search}`, init), {});
  const { status } = response;
  const value = (await response.json()) as Answer['body'] & { readonly code?: string };
  if (!response.headers.get('content-type')!.startsWith('application/problem+json')) return { status, body: { data: value } };
  const { data = null, errors = [], code } = value;
  // A problem has no data that is null. Without errors, it is the answer to GET whose value is null.
  const isRefused = code === 'UNAUTHENTICATED' || code === 'FORBIDDEN';
  if (errors.length === 0 && code !== 'NOT_FOUND')
    throw new Error(`Expected an answer to ${operation.text}, got ${JSON.stringify(value)}.`);
  return { status, body: { ...(!isRefused && { data }), errors } };
}

const single = async (answer: Promise<Answer>): Promise<readonly Answer[]> => [await answer];

/** All doors through which random operations are sent. */
export const doors: readonly Door[] = [
  {
    name: 'POST',
    takes: () => true,
    atOnce: 1,
    send: (server, [sent]) => single(post(server, bodyOf(sent!), acceptFor(sent!.operation))),
  },
  {
    name: 'GET',
    takes: ({ kind }) => kind === 'query',
    atOnce: 1,
    send: async (server, [sent]) => {
      const { text, variables, operationName } = sent!.operation;
      const query = new URLSearchParams({ query: text, variables: JSON.stringify(variables), operationName });
      const accept = acceptFor(sent!.operation).replace(/^application.json$/, 'application/graphql-response+json');
      const headers = { accept, 'graphql-require-preflight': '1' };
      return single(server.handler(new Request(`${url}?${query.toString()}`, { headers }), {}).then(read));
    },
  },
  {
    name: 'by id',
    takes: () => true,
    atOnce: 1,
    send: (server, [sent]) => {
      const { variables, operationName } = sent!.operation;
      return single(post(server, { documentId: sent!.id, variables, operationName }, acceptFor(sent!.operation)));
    },
  },
  {
    name: 'batch',
    takes: ({ kind }) => kind !== 'subscription',
    atOnce: 3,
    send: async (server, sent) => {
      const { body } = await post(server, sent.map(bodyOf));
      if (!Array.isArray(body)) throw new Error(`Expected a list of answers, got ${JSON.stringify(body)}.`);
      return body.map((one) => ({ status: undefined, body: one as Answer['body'] }));
    },
  },
  {
    name: 'direct invocation',
    takes: ({ kind }) => kind !== 'subscription',
    atOnce: 1,
    send: async (server, [sent]) => [{ status: undefined, body: (await server.handler(bodyOf(sent!), {})) as Answer['body'] }],
  },
  {
    name: 'MCP tool',
    takes: (operation) => tools.textOf(operation, '') !== undefined,
    atOnce: 1,
    own: tools,
    send: async (server, [sent]) => {
      const params = { name: `tool${sent!.id}`, arguments: sent!.operation.variables };
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
        'idempotency-key': `"key-${keys++}"`,
      };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      const response: Response = await server.handler(new Request(`${url}/mcp`, { method: 'POST', headers, body }), {});
      const { status } = response;
      if (status !== 401 && status !== 403) return [{ status: undefined, body: resultOfTool((await response.json()) as ToolAnswer) }];
      const errors = [{ message: await response.text(), extensions: { code: status === 401 ? 'UNAUTHENTICATED' : 'FORBIDDEN' } }];
      return [{ status, challenge: response.headers.get('www-authenticate') ?? '', body: { errors } }];
    },
  },
  {
    name: 'REST GET',
    // A query string has texts alone.
    takes: (operation) =>
      routes('GET').textOf(operation, '') !== undefined &&
      Object.values(operation.variables).every((value) => ['string', 'boolean'].includes(typeof value)),
    atOnce: 1,
    own: routes('GET'),
    send: (server, [sent]) =>
      single(route(server, sent!, { search: `?${new URLSearchParams(sent!.operation.variables as Record<string, string>).toString()}` })),
  },
  {
    name: 'REST POST',
    takes: (operation) => routes('POST').textOf(operation, '') !== undefined,
    atOnce: 1,
    own: routes('POST'),
    send: (server, [sent]) => {
      const headers = { 'content-type': 'application/json', 'idempotency-key': `"key-${keys++}"` };
      return single(route(server, sent!, { method: 'POST', headers, body: JSON.stringify(sent!.operation.variables) }));
    },
  },
];

interface ToolAnswer {
  readonly result: {
    readonly isError?: true;
    readonly content: readonly [{ readonly text: string }];
    readonly structuredContent?: unknown;
  };
}

/** The result of the operation that a tool has run. */
function resultOfTool({ result }: ToolAnswer): Answer['body'] {
  return result.isError === true ? (JSON.parse(result.content[0].text) as Answer['body']) : { data: result.structuredContent };
}
