import type { HTTPRequest } from '../message/http-request.ts';
import type { PlatformAdapter } from '../platform/adapter.ts';
import { findAdapter } from '../platform/detect.ts';
import { lambdaAdapters } from '../platform/lambda.ts';
import { netlifyV1 } from '../platform/netlify-v1.ts';

/** What a server makes of an event before it runs anything. */
export type Diagnosis =
  | { readonly kind: 'request'; readonly source: string; readonly request: HTTPRequest }
  /** No request comes of it, and why. */
  | { readonly kind: 'problem'; readonly source: string; readonly problem: string };

/** Event → its source and the request it becomes. */
export function diagnose(event: unknown): Diagnosis {
  let adapter: PlatformAdapter<unknown> | undefined;
  try {
    adapter = findAdapter([...lambdaAdapters, netlifyV1], event);
    return { kind: 'request', source: adapter.name, request: adapter.toRequest(event) };
  } catch (error) {
    return { kind: 'problem', source: adapter?.name ?? 'no source of HTTP requests', problem: (error as Error).message };
  }
}

/** A request as one would see it on the wire. */
export function wireForm({ method, path, queryString, headers, body }: HTTPRequest): string {
  const fields = [...headers].map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${path}${queryString === '' ? '' : `?${queryString}`}`, ...fields, ...bodyLines(body)].join('\n');
}

function bodyLines(body: HTTPRequest['body']): string[] {
  if (body.kind === 'text') return ['', body.text];
  if (body.kind === 'bytes') return ['', new TextDecoder().decode(body.bytes)];
  if (body.kind === 'value') return ['', JSON.stringify(body.value)];
  return [];
}
