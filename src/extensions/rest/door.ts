import type { Asked, Door, OperationOutcome, Refusal, RequestBody, RequestCall } from '../../server/index.ts';
import { describe, HeaderMap, isRecord } from '../../shared/index.ts';
import type { HTTPResponse } from '../../shared/index.ts';
import type { ScalarSchemas } from '../json-schema/index.ts';
import { badRequest, json, jsonType, problem, problemType } from './problem.ts';
import { decoded } from './route-table.ts';
import type { Matched } from './route-table.ts';
import type { Route, Target } from './route.ts';
import { placed, valueOf } from './values.ts';
import type { Variables } from './values.ts';

export interface RouteSettings {
  readonly scalars: ScalarSchemas;
  readonly otherParameters: ReadonlySet<string>;
}

/** The way in of one path with routes. */
export function routeDoor(settings: RouteSettings, { routes, segments }: Matched, method: string): Door {
  const route = routes.find((one) => one.method === (method === 'HEAD' ? 'GET' : method));
  return {
    name: 'rest',
    route: route?.template,
    // A cache may keep only answers to GET: an answer to HEAD has no body.
    parameters: method === 'GET' && route !== undefined ? [...route.inQuery.keys()] : undefined,
    rules() {
      const methods = new Set<string>(routes.map((one) => one.method));
      if (methods.has('GET')) methods.add('HEAD');
      // A POST needs the type of JSON even without a body, because pages of other sites can send any other POST with cookies.
      const takes = method === 'POST' || (route !== undefined && hasBody(route)) ? [jsonType] : [];
      return { methods: [...methods], takes, gives: [jsonType, problemType] };
    },
    read: (call, body) => readRequest(settings, { route: route!, segments }, call, body),
    refuse: writeRefusal,
  };
}

async function readRequest(
  settings: RouteSettings,
  { route, segments }: Pick<Matched, 'segments'> & { readonly route: Route },
  { request }: RequestCall,
  body: RequestBody,
): Promise<Asked> {
  const found: [target: Target, value: unknown][] = [];
  for (const [at, segment] of route.segments.entries()) {
    if (typeof segment === 'string') continue;
    const { name } = segment;
    const [text, target] = [segments[at], route.inPath.get(name)!];
    if (text === undefined) throw badRequest(`Expected the parameter "${name}" of the path to be percent-encoded UTF-8.`);
    found.push([target, valueOf(name, [text], target, settings.scalars)]);
  }
  const query = new URLSearchParams(request.queryString);
  // Checks the text first, because URLSearchParams replaces characters that do not decode.
  if (decoded(request.queryString) === undefined) throw badRequest('Expected the query string to be percent-encoded UTF-8.');
  for (const name of new Set(query.keys())) {
    const target = route.inQuery.get(name);
    if (target !== undefined) found.push([target, valueOf(name, query.getAll(name), target, settings.scalars)]);
    else if (!settings.otherParameters.has(name))
      throw badRequest(`Expected ${listOf([...route.inQuery.keys()], 'parameter')} in the query string, got "${name.slice(0, 80)}".`);
  }
  // A body of GET, HEAD and DELETE is not read. Others may be empty if no variable comes from them.
  const isIgnored = route.method === 'GET' || route.method === 'DELETE';
  const isEmpty = isIgnored || (!hasBody(route) && request.body.kind !== 'value' && (await body.text()) === '');
  const variables = isEmpty ? (Object.create(null) as Variables) : readBody(route, await body.json());
  for (const [{ variable, members }, value] of found) variables[variable] = placed(variables[variable], members, value);
  return { request: { documentId: route.documentId, variables }, write: (outcome, call) => writeOutcome(route, outcome, call) };
}

function hasBody({ body, members }: Route): boolean {
  return body !== undefined || members.length > 0;
}

/** Reads the body: the value of one variable, or an object whose members are the values of variables. */
function readBody({ body, members }: Route, value: unknown): Variables {
  const variables = Object.create(null) as Variables;
  if (body !== undefined) variables[body.variable.name.value] = value;
  else {
    const names = members.map(({ variable }) => variable.name.value);
    if (!isRecord(value)) throw badRequest(`Expected a body that is an object with ${listOf(names, 'member')}, got ${describe(value)}.`);
    const unknown = Object.keys(value).find((name) => !names.includes(name));
    if (unknown !== undefined) throw badRequest(`Expected ${listOf(names, 'member')} in the body, got "${unknown.slice(0, 80)}".`);
    for (const [name, member] of Object.entries(value)) variables[name] = member;
  }
  return variables;
}

function listOf(names: readonly string[], noun: string): string {
  return names.length === 0 ? `no ${noun}` : names.map((name) => `"${name}"`).join(', ');
}

/**
 * Writes the value of a single response key, or an object with all of them. Writes a problem if there are errors, or if GET finds nothing.
 */
function writeOutcome({ method, single, status }: Route, outcome: OperationOutcome, call: RequestCall): HTTPResponse {
  const { errors, data, extensions } = outcome.result;
  const headers = call.headersOf(outcome);
  const set = statusOf(outcome, call);
  if (extensions?.['explain'] !== undefined) return json(set, outcome.result, headers);
  if (errors !== undefined) {
    const { message: detail = 'Internal server error', extensions: { code } = {} } = errors[0] ?? {};
    return problem(set, { detail, code, errors, data }, headers);
  }
  // A key whose type condition does not hold is not there.
  const value = single === undefined ? data : (data?.[single] ?? null);
  if (method === 'GET' && value === null && single !== undefined)
    return problem(set >= 400 ? set : 404, { detail: 'Expected an existing resource, found none.', code: 'NOT_FOUND' }, headers);
  return json(outcome.head.status ?? (set === 200 ? (status ?? 200) : set), value, headers);
}

/** Returns the status of an outcome with errors: a status that was set for an error, else the status of the first error's code. */
function statusOf(outcome: OperationOutcome, call: RequestCall): number {
  const set = call.statusOf(outcome);
  if (set >= 400 || outcome.result.errors === undefined) return set;
  // A status below 400 cannot be the status of a problem: it was set for a success, or means a partial success.
  const { extensions: _, ...result } = outcome.result;
  const status = call.statusOf({ ...outcome, result, head: { headers: outcome.head.headers } });
  const code = outcome.errors[0]?.extensions['code'];
  return status >= 400 ? status : (statuses[typeof code === 'string' && Object.hasOwn(statuses, code) ? code : ''] ?? 500);
}

/** The status of a partial success, by the code of its first error. */
const statuses: Readonly<Record<string, number>> = {
  BAD_USER_INPUT: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  RATE_LIMITED: 429,
  DEADLINE_EXCEEDED: 504,
};

/** The way in of the OpenAPI document. */
export function descriptionDoor(text: () => string): Door {
  return {
    name: 'rest',
    route: '/openapi.json',
    rules: () => ({ methods: ['GET', 'HEAD'], gives: [jsonType] }),
    read: () => ({ ...json(200, undefined, new HeaderMap()), body: text() }),
    refuse: writeRefusal,
  };
}

/** The way in of a path below the option `path` that has no route. */
export function missingDoor(path: string): Door {
  const detail = `Expected the path of a route below "${path}". If the endpoint itself is below it, set the option path of rest().`;
  const answer = (): HTTPResponse => problem(404, { detail, code: 'NOT_FOUND' });
  return { name: 'rest', rules: answer, read: answer, refuse: writeRefusal };
}

function writeRefusal({ status, error }: Refusal): HTTPResponse {
  return problem(status, { detail: error.message, code: error.extensions?.['code'] });
}
