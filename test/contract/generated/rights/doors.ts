import { Kind } from 'graphql';

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
  /** `WWW-Authenticate` of a refused MCP tool, in place of a body. */
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

/** The document of the tool of an operation. Undefined: it cannot be a tool. */
export function toolText({ text, document, kind }: RandomOperation, name: string): string | undefined {
  const [operation, other] = document.definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
  if (kind === 'subscription' || other !== undefined || /@defer|@stream|__schema|__type\(/.test(text)) return undefined;
  const at = operation!.selectionSet.loc!.start;
  return `${text.slice(0, at)} @mcpTool(name: "${name}", description: "Runs ${name}") ${text.slice(at)}`;
}

const single = async (answer: Promise<Answer>): Promise<readonly Answer[]> => [await answer];

/** All doors through which random operations are sent. That of REST is added here. */
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
    takes: (operation) => toolText(operation, '') !== undefined,
    atOnce: 1,
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
