import type { HTTPRequest } from '../../../shared/index.ts';
import {
  applicationLoadBalancer,
  findAdapter,
  functionURL,
  httpAPI,
  lambdaAdapters,
  latticeV1,
  latticeV2,
  netlifyV1,
  restAPI,
} from '../../../server/for-tools.ts';
import type { PlatformAdapter } from '../../../server/for-tools.ts';
import { readResult } from '../../testing/index.ts';
import type { PlatformName } from '../../testing/index.ts';

/** An event as a server reads it before it runs anything. */
export type Diagnosis =
  | { readonly kind: 'request'; readonly source: string; readonly request: HTTPRequest }
  /** The event is not a valid request; `problem` says why. */
  | { readonly kind: 'problem'; readonly source: string; readonly problem: string };

/** Finds the source of an event and converts it to a request. */
export function diagnose(event: unknown): Diagnosis {
  let adapter: PlatformAdapter<unknown> | undefined;
  try {
    adapter = findAdapter([...lambdaAdapters, netlifyV1], event);
    return { kind: 'request', source: adapter.name, request: adapter.toRequest(event) };
  } catch (error) {
    return { kind: 'problem', source: adapter?.name ?? 'not a source of HTTP requests', problem: (error as Error).message };
  }
}

/** Why the source of an event would reject a function's result. Undefined if it accepts it. */
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

/** A request as text, as in HTTP/1.1. */
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
