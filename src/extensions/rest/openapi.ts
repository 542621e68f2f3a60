import { getNullableType, isInputObjectType, isListType } from 'graphql';
import type { GraphQLInputObjectType } from 'graphql';

import { Components, inputSchemaOf, orNull, outputSchemaOf, partialSchemaOf, typeSchemaOf, valueSchemaOf } from '../json-schema/index.ts';
import type { JSONSchema, Parts } from '../json-schema/index.ts';
import { fragmentsOf } from '../../shared/index.ts';
import type { NeedsKey, RightsFact, RightsRule } from '../../shared/index.ts';
import type { ServerStartContext } from '../../server/index.ts';
import type { RESTOptions } from './options.ts';
import { jsonType, problemType } from './problem.ts';
import type { RouteTable } from './route-table.ts';
import type { Route, Target } from './route.ts';

/** The server whose routes are described, with the facts of its plugins. */
export type Described = Pick<ServerStartContext, 'schema' | 'facts'>;

/** The OpenAPI document of routes: the same routes give the same text, whatever the order of the documents. */
export function describeRoutes({ routes }: RouteTable, described: Described, options: RESTOptions): string {
  const writer = new Writer(described, options);
  const paths: Record<string, Record<string, unknown>> = {};
  const ordered = routes.toSorted((one, other) => compare(one.template, other.template) || compare(one.method, other.method));
  for (const route of ordered) (paths[route.template] ??= {})[route.method.toLowerCase()] = writer.operation(route);
  const {
    path = '/rest',
    info = { title: 'REST API', version: '1' },
    servers = [{ url: `../${path.slice(path.lastIndexOf('/') + 1)}` }],
  } = options;
  return JSON.stringify({ openapi: '3.1.1', info, servers, paths, components: writer.components(paths) }, null, 2);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The members of a problem: see problem.ts. */
const problemSchema: JSONSchema = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What went wrong, as expected and found.' },
    code: { type: 'string', description: 'The code of the first error.' },
    errors: { type: 'array', items: { type: 'object' }, description: 'All errors, as in a GraphQL response.' },
    data: { description: 'The part of the result that was there when an error occurred.' },
  },
};

const responseOfProblem = { $ref: '#/components/responses/Problem' };
/** A bearer token (RFC 6750). */
const bearer: Readonly<Record<string, JSONSchema>> = { bearer: { type: 'http', scheme: 'bearer' } };
/** More alternatives of scopes than this are not listed. */
const maxAlternatives = 8;

class Writer {
  readonly #described: Described;
  readonly #options: RESTOptions;
  readonly #components: Components;
  readonly #parts: Parts;
  readonly #problem: JSONSchema;
  readonly #operationIds = new Set<string>();
  #isSecured = false;

  constructor(described: Described, options: RESTOptions) {
    this.#described = described;
    this.#options = options;
    this.#components = new Components(described.schema);
    this.#parts = { scalars: options.scalars ?? {}, components: this.#components };
    this.#problem = this.#components.ofFragment('Problem', problemSchema);
  }

  /** Returns the components to which paths refer, directly or through other components. */
  components(paths: object): object {
    const used = new Set(['Problem']);
    const visit = (text: string): void => {
      for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
        if (used.has(name)) continue;
        used.add(name);
        visit(JSON.stringify(this.#components.schemas.get(name)));
      }
    };
    visit(JSON.stringify([paths, this.#problem]));
    const schemas = [...this.#components.schemas].filter(([name]) => used.has(name)).toSorted(([one], [other]) => compare(one, other));
    const { securitySchemes = this.#isSecured ? bearer : undefined } = this.#options;
    const problem = { description: 'A problem (RFC 9457).', content: { [problemType]: { schema: this.#problem } } };
    return { schemas: Object.fromEntries(schemas), responses: { Problem: problem }, ...(securitySchemes && { securitySchemes }) };
  }

  operation(route: Route): object {
    const { operation, segments } = route;
    const { description: { value: text = '' } = {} } = operation as { readonly description?: { readonly value: string } };
    const [summary = '', ...more] = text.split('\n');
    const tag = segments.find((segment) => typeof segment === 'string');
    const { schema, facts } = this.#described;
    const variables = inputSchemaOf({ schema, operation, ...this.#parts });
    const properties = variables['properties'] as Readonly<Record<string, JSONSchema>>;
    const inURL = [...this.#parameters(route.inPath, 'path', properties), ...this.#parameters(route.inQuery, 'query', properties)];
    const parameters = [...inURL, ...this.#keyOf(route)];
    const schemaOfBody = this.#bodySchema(route, variables);
    const rules = (facts.get('rights') as RightsFact | undefined)?.needsOf(route.document, operation) ?? [];
    const isSecured = rules.length > 0;
    return {
      operationId: this.#idOf(operation.name!.value),
      ...(summary !== '' && { summary }),
      ...(more.length > 0 && { description: text }),
      ...(tag !== undefined && { tags: [tag] }),
      ...(parameters.length > 0 && { parameters }),
      ...(schemaOfBody && { requestBody: { required: true, content: { [jsonType]: { schema: schemaOfBody } } } }),
      responses: {
        ...this.#responses(route),
        ...(isSecured && { 401: responseOfProblem, 403: responseOfProblem }),
        default: responseOfProblem,
      },
      ...(isSecured && { security: this.#security(rules) }),
    };
  }

  /** Returns the header of `idempotency()`, if the route may have it. */
  #keyOf({ document, operation }: Route): object[] {
    const needsKey = operation.operation === 'mutation' ? (this.#described.facts.get('idempotency') as NeedsKey | undefined) : undefined;
    const required = needsKey?.({ document, operation });
    const description = 'A UUID in quotation marks, the same for every retry.';
    const parameter = { name: 'Idempotency-Key', in: 'header', ...(required && { required }), description, schema: { type: 'string' } };
    return required === undefined ? [] : [parameter];
  }

  /** Returns the name of an operation, with a number if another operation has the same name, because ids must differ. */
  #idOf(name: string): string {
    let id = name;
    for (let at = 2; this.#operationIds.has(id); at++) id = `${name}${at}`;
    this.#operationIds.add(id);
    return id;
  }

  #parameters(targets: ReadonlyMap<string, Target>, place: 'path' | 'query', properties: Readonly<Record<string, JSONSchema>>): object[] {
    return Array.from(targets, ([name, { variable, members, type, isRequired }]) => {
      const { description, default: given } = members.length === 0 ? properties[variable]! : {};
      const nullable = getNullableType(type);
      // The path has one item of a list.
      const read = place === 'path' && isListType(nullable) ? nullable.ofType : type;
      const schema = { ...typeSchemaOf(read, this.#parts), ...(given !== undefined && { default: given }) };
      return {
        name,
        in: place,
        ...((place === 'path' || isRequired) && { required: true }),
        ...(description !== undefined && { description }),
        ...(isInputObjectType(getNullableType(read)) ? { content: { [jsonType]: { schema } } } : { schema }),
      };
    });
  }

  /** A POST needs a body, because it needs the type of JSON. */
  #bodySchema({ method, body, members, inPath, inQuery }: Route, variables: JSONSchema): JSONSchema | undefined {
    const properties = variables['properties'] as Readonly<Record<string, JSONSchema>>;
    const targets = [...inPath.values(), ...inQuery.values()].filter((target) => target.members.length > 0);
    const schemaOf = (name: string): JSONSchema => {
      const inside = targets.filter(({ variable }) => variable === name);
      if (inside.length === 0) return properties[name]!;
      const paths = inside.map((target) => target.members);
      return partialSchemaOf(getNullableType(inside[0]!.container) as GraphQLInputObjectType, paths, this.#parts);
    };
    if (body !== undefined) return schemaOf(body.variable.name.value);
    if (members.length === 0) return method === 'POST' ? { type: 'object', maxProperties: 0 } : undefined;
    const names = members.map(({ variable }) => variable.name.value);
    const isPartial = (name: string): boolean => targets.some(({ variable }) => variable === name);
    const required =
      (variables['required'] as readonly string[] | undefined)?.filter((name) => names.includes(name) && !isPartial(name)) ?? [];
    return {
      type: 'object',
      ...(required.length > 0 && { required }),
      additionalProperties: false,
      properties: Object.fromEntries(names.map((name) => [name, schemaOf(name)])),
    };
  }

  #responses({ method, document, operation, single, status = 200 }: Route): Record<string, unknown> {
    const output = { schema: this.#described.schema, fragments: fragmentsOf(document), ...this.#parts };
    if (status === 204 || status === 205) return { [status]: { description: 'No content.' } };
    if (single === undefined) return { [status]: success(outputSchemaOf(output, operation)) };
    const { schema, isNullable } = valueSchemaOf(output, operation, single);
    if (!isNullable) return { [status]: success(schema) };
    return method === 'GET' ? { [status]: success(schema), 404: responseOfProblem } : { [status]: success(orNull(schema)) };
  }

  /** Returns one requirement for each alternative of the rules, up to a maximum. */
  #security(rules: readonly RightsRule[]): object[] {
    this.#isSecured = true;
    const alternatives = alternativesOf(rules);
    const listed = alternatives.length <= maxAlternatives ? alternatives : alternatives.slice(0, 1);
    const [name] = Object.keys(this.#options.securitySchemes ?? bearer);
    return listed.map((scopes) => ({ [name!]: scopes }));
  }
}

/** The scopes that meet all rules. Policies, and a rule that nobody meets, need a caller, but no scope. */
function alternativesOf(rules: readonly RightsRule[]): readonly (readonly string[])[] {
  let all: readonly (readonly string[])[] = [[]];
  for (const { scopes = [] } of rules) {
    if (scopes.length === 0) continue;
    const pairs = all.flatMap((one) => scopes.map((other) => [...new Set([...one, ...other])].toSorted()));
    // The number of alternatives may double with each rule.
    all = [...new Map(pairs.map((one) => [one.join(' '), one])).values()].slice(0, maxAlternatives + 1);
  }
  return all;
}

function success(schema: JSONSchema): object {
  return { description: 'Success.', content: { [jsonType]: { schema } } };
}
