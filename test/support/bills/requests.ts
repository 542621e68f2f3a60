import { createHash } from 'node:crypto';

import { list, makers, maxBytes, Reader } from './documents.ts';
import type { Genes, MadeDocument } from './documents.ts';
import type { BilledServer } from './servers.ts';
import { worstMakers } from './worst-documents.ts';

/** A request in HTTP's terms. */
export interface BilledRequest {
  readonly story: string;
  readonly method: 'GET' | 'POST' | 'QUERY';
  readonly query: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | undefined;
}

const shapes = { ...makers, ...worstMakers };
const ways =
  'post post post post batch batch batch get get query persisted hash known stream multipart headers mutation subscription extensions'.split(
    ' ',
  );

/** Added for servers that cache answers to these requests: they cause work that no other request causes. */
const reads = 'get get get get get get get get get query query query query query query'.split(' ');

/** Genes → a request of at most 1 MiB. */
export function requestOf(genes: Genes, server: BilledServer): BilledRequest {
  const reader = new Reader(genes);
  const makersOf = server.makers ?? shapes;
  const shape = reader.pick(Object.keys(makersOf));
  const way = reader.pick(server.keepsReads ? [...ways, ...reads] : ways);
  const elements = reader.size(12);
  const made = makersOf[shape]!(reader, server);
  const story = `${shape} by ${way}${way === 'batch' ? ` of ${elements}` : ''}`;
  if (way === 'get') return getRequest(story, made);
  const operation = operationBy(way, made, reader, server);
  const accept =
    {
      stream: 'text/event-stream',
      subscription: 'text/event-stream',
      multipart: 'multipart/mixed',
      headers: 'a/b;q=0.1,'.repeat(reader.size(2000)),
    }[way] ?? '*/*';
  const headers = [
    ['content-type', 'application/json'],
    ['accept', accept],
  ] as const;
  const body = fitting(way === 'batch' ? batchOf(elements, operation) : operation);
  return { story, method: way === 'query' ? 'QUERY' : 'POST', query: '', headers, body };
}

/** A request that is answered by a stream. */
export function asksForStream(story: string): boolean {
  return / by (?:stream|multipart|subscription)/.test(story);
}

function operationBy(way: string, made: MadeDocument, reader: Reader, server: BilledServer): Record<string, unknown> {
  const document = documentBy(way, made, server);
  const operation = { query: document, variables: made.variables, operationName: made.operationName };
  const hash = (): string => createHash('sha256').update(document).digest('hex');
  if (way === 'persisted') return { ...operation, extensions: { persistedQuery: { version: 1, sha256Hash: hash() } } };
  if (way === 'hash')
    return { ...operation, query: undefined, extensions: { persistedQuery: { version: 1, sha256Hash: reader.pick([hash(), document]) } } };
  if (way === 'known') return { ...operation, query: undefined, documentId: reader.pick([`sha256:${hash()}`, document]) };
  if (way === 'extensions')
    return {
      ...operation,
      extensions: { [reader.pick(['persistedQuery', 'x', '__proto__'])]: list(reader.size(50_000), () => document.slice(0, 10), ',') },
    };
  return operation;
}

/** Moves the selection of Query to another root type. The shop has separate shapes for its mutations. */
function documentBy(way: string, { document }: MadeDocument, { makers: own }: BilledServer): string {
  const selections = document.replace(/^[^{]*/, '');
  if (own !== undefined) return way === 'subscription' ? `subscription { changes { ... on Product0 ${selections} } }` : document;
  if (way === 'mutation') return `mutation { write { rows ${selections} } }`;
  return way === 'subscription' ? `subscription { ticks { rows ${selections} } }` : document;
}

/** A batch that repeats one element, each time with a different text. */
function batchOf(elements: number, operation: Record<string, unknown>): object[] {
  const document = operation['query'] as string;
  return Array.from({ length: elements }, (_, at) => ({
    ...operation,
    query: document.startsWith('{') ? document.replace('{', `query B${at} {`) : `${document}${' '.repeat(at)}`,
  }));
}

function getRequest(story: string, { document, variables, operationName }: MadeDocument): BilledRequest {
  const query = new URLSearchParams({
    query: document,
    ...(variables !== undefined && { variables: JSON.stringify(variables) }),
    ...(operationName !== undefined && { operationName }),
  });
  const headers = [['apollo-require-preflight', '1']] as const;
  return { story, method: 'GET', query: query.toString().slice(0, maxBytes), headers, body: undefined };
}

/** The JSON, cut off above the size limit: the server refuses larger bodies by their size, and a truncated body is not valid JSON. */
function fitting(value: unknown): string {
  return JSON.stringify(value).slice(0, maxBytes);
}
