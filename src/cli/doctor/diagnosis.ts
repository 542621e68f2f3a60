import type { HTTPRequest } from '../../message/http-messages.ts';
import type { PlatformAdapter } from '../../platform/adapter.ts';
import { applicationLoadBalancer } from '../../platform/alb.ts';
import { findAdapter } from '../../platform/detect.ts';
import { functionURL, httpAPI } from '../../platform/http-api.ts';
import { lambdaAdapters } from '../../platform/lambda.ts';
import { latticeV1, latticeV2 } from '../../platform/lattice.ts';
import { netlifyV1 } from '../../platform/netlify-v1.ts';
import { restAPI } from '../../platform/rest-api.ts';
import { readResult } from '../../testing/platforms.ts';
import type { PlatformName } from '../../testing/platforms.ts';

/** An event as a server reads it before it runs anything. */
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

/** The objection that the source of an event would have to a function's result, if any. */
export function findResultProblem(source: string, event: unknown, result: unknown): string | undefined {
  const platform = platformOf(source, event);
  if (platform === undefined) return undefined;
  try {
    readResult(platform, result);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function platformOf(source: string, event: unknown): PlatformName | undefined {
  const { version, multiValueHeaders } = event as { version?: unknown; multiValueHeaders?: unknown };
  if (source === restAPI.name) return version === '1.0' ? 'aws-http-v1' : 'aws-rest';
  if (source === applicationLoadBalancer.name) return multiValueHeaders === undefined ? 'alb' : 'alb-multi';
  return platforms.get(source);
}

const platforms: ReadonlyMap<string, PlatformName> = new Map([
  [functionURL.name, 'function-url'],
  [httpAPI.name, 'aws-http'],
  [latticeV2.name, 'lattice'],
  [latticeV1.name, 'lattice-v1'],
  [netlifyV1.name, 'netlify-v1'],
]);

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
