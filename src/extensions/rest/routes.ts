import { isInputObjectType, isListType, isRequiredInputField, Kind, typeFromAST, getNullableType } from 'graphql';
import type { DocumentNode, GraphQLInputType, GraphQLSchema, OperationDefinitionNode, VariableDefinitionNode } from 'graphql';

import type { CheckedDocument, ServerStartContext } from '../../server/index.ts';
import { rootSelections } from '../../shared/index.ts';
import { directiveValues, documentError, operationWithOneAnswer } from '../json-schema/index.ts';
import { http } from './directives.ts';
import type { HTTPValues } from './directives.ts';
import { RouteTable } from './route-table.ts';
import type { Route, Target } from './route.ts';

type Start = Pick<ServerStartContext, 'schema' | 'trustedDocuments'>;

/**
 * Reads the routes of all trusted documents with `@http`. `report` gets an Error for each that cannot be a route, or if there is none; the
 * document is left out.
 */
export function readRoutes({ schema, trustedDocuments }: Start, report: (error: unknown) => void = throwError): RouteTable {
  const table = new RouteTable();
  for (const [id, trusted] of trustedDocuments()) {
    // Parsing thousands of documents would take long.
    if (trusted.isReplaced || !trusted.text.includes('@http')) continue;
    try {
      const route = readRoute(schema, id, trusted);
      if (route !== undefined) table.add(route);
    } catch (error) {
      report(error);
    }
  }
  if (table.routes.length === 0)
    report(new Error('Expected a trusted document with @http for rest(), such as query Books @http(method: GET, route: "/books") { … }.'));
  return table;
}

function throwError(error: unknown): never {
  throw error;
}

function readRoute(schema: GraphQLSchema, id: string, { document, errors }: CheckedDocument): Route | undefined {
  try {
    const values = directiveValues(document, http) as unknown as HTTPValues | undefined;
    if (values === undefined) return undefined;
    const operation = operationWithOneAnswer(document, 'route');
    const [invalid] = errors;
    if (invalid !== undefined) throw invalid;
    if (operation.name === undefined) throw new Error('expected its operation to have a name.');
    const { method, route, status } = values;
    if (method === 'GET' && operation.operation !== 'query') throw new Error('a GET must not change anything, and this is a mutation.');
    if (status !== undefined && status !== null && !(status >= 200 && status <= 299))
      throw new Error(`expected a status from 200 to 299, got ${status}.`);
    const segments = segmentsOf(route);
    return {
      ...sourcesOf(schema, operation, values, segments),
      documentId: id,
      document,
      operation,
      method,
      template: `/${segments.map((one) => (typeof one === 'string' ? one : `{${one.name}}`)).join('/')}`,
      segments,
      status: status ?? undefined,
      single: singleKey(document, operation),
    };
  } catch (error) {
    throw documentError(id, 'route', error);
  }
}

/** `name`, or `name:$variable.field`. */
interface Parameter {
  readonly name: string;
  readonly path: readonly string[];
}

/** The segments of a template: literals, and parameters with their targets. */
function segmentsOf(template: string): (string | Parameter)[] {
  if (!template.startsWith('/')) throw new Error(`expected a route that starts with "/", got "${template}".`);
  const segments = template.slice(1).split('/').map(segmentOf);
  // Health checks are answered before the server has started.
  if (segments.at(-1) === 'health') throw new Error(`expected a route that does not end with "/health", the path of health checks.`);
  if (template === '/openapi.json') throw new Error('expected a route other than "/openapi.json", the path of the OpenAPI document.');
  return segments;
}

function segmentOf(text: string): string | Parameter {
  const parameter = /^\{([^{}]*)\}$/.exec(text);
  if (parameter !== null) return parameterOf(parameter[1]!);
  if (text === '' || text === '.' || text === '..' || !/^[\w.~!$&'()*+,;=:@-]+$/.test(text))
    throw new Error(`expected each segment of the route to be a literal such as "books", or a parameter such as "{id}", got "${text}".`);
  return text;
}

function parameterOf(text: string): Parameter {
  const [, name, target] = /^\s*([A-Za-z_][\w.-]*)\s*(?::\s*\$(\w+(?:\.\w+)*)\s*)?$/.exec(text) ?? [];
  if (name === undefined) throw new Error(`expected a parameter such as "id" or "id:$book.id", got "${text}".`);
  return { name, path: target?.split('.') ?? [name] };
}

type Sources = Pick<Route, 'inPath' | 'inQuery' | 'body' | 'members'>;

/** Finds the source of each variable: the path, the query string, or the body. */
function sourcesOf(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  { method, queryParameters }: HTTPValues,
  segments: readonly (string | Parameter)[],
): Sources {
  const given = new Map(variableDefinitions.map((definition) => [definition.variable.name.value, definition]));
  const targets: Target[] = [];
  const add = (parameters: Map<string, Target>, { name, path }: Parameter): void => {
    const target = targetOf(schema, given, path);
    const list = getNullableType(target.type);
    if (isListType(list) && isListType(getNullableType(list.ofType)))
      throw new Error(`expected "${name}" not to be a list of lists, which a URL cannot have.`);
    if (parameters.has(name)) throw new Error(`expected the parameter "${name}" once.`);
    const other = targets.find((one) => contains(one, target) || contains(target, one));
    if (other !== undefined) throw new Error(`expected one source for $${path.join('.')}, got two.`);
    targets.push(target);
    parameters.set(name, target);
  };
  const inPath = new Map<string, Target>();
  const inQuery = new Map<string, Target>();
  for (const segment of segments) if (typeof segment !== 'string') add(inPath, segment);
  for (const one of queryParameters ?? []) add(inQuery, parameterOf(one));

  const isTargeted = (name: string, whole: boolean): boolean =>
    targets.some(({ variable, members }) => variable === name && (!whole || members.length === 0));
  const bodies = variableDefinitions.filter(({ directives }) => directives?.some(({ name }) => name.value === 'body'));
  const [body] = bodies;
  if (bodies.length > 1) throw new Error('expected one variable with @body.');
  if (method === 'GET' || method === 'DELETE') {
    if (body !== undefined) throw new Error(`expected no @body, because a ${method} has no body.`);
    for (const name of given.keys()) if (!isTargeted(name, false)) add(inQuery, { name, path: [name] });
    return { inPath, inQuery, body: undefined, members: [] };
  }
  if (body !== undefined && isTargeted(body.variable.name.value, true))
    throw new Error('expected the variable with @body not to be a parameter.');
  const left = variableDefinitions.filter((one) => one !== body && !isTargeted(one.variable.name.value, true));
  if (body === undefined) return { inPath, inQuery, body, members: left };
  const missing = left.find((one) => isRequired(one) && !isTargeted(one.variable.name.value, false));
  if (missing !== undefined)
    throw new Error(
      `expected the route or queryParameters to have $${missing.variable.name.value}, because the body is $${body.variable.name.value}.`,
    );
  return { inPath, inQuery, body, members: [] };
}

function isRequired({ type, defaultValue }: VariableDefinitionNode): boolean {
  return type.kind === Kind.NON_NULL_TYPE && defaultValue === undefined;
}

function contains(outer: Target, inner: Target): boolean {
  return outer.variable === inner.variable && outer.members.every((name, at) => inner.members[at] === name);
}

function targetOf(
  schema: GraphQLSchema,
  given: ReadonlyMap<string, VariableDefinitionNode>,
  [variable = '', ...members]: readonly string[],
): Target {
  const definition = given.get(variable);
  if (definition === undefined) throw new Error(`expected the operation to define $${variable}, which a parameter names.`);
  const container = typeFromAST(schema, definition.type as never) as GraphQLInputType;
  let type = container;
  let required = isRequired(definition);
  for (const member of members) {
    const object = getNullableType(type);
    const field = isInputObjectType(object) ? object.getFields()[member] : undefined;
    if (field === undefined) throw new Error(`expected ${String(type)} to have the field "${member}", which a parameter names.`);
    required &&= isRequiredInputField(field);
    type = field.type;
  }
  return { variable, members, type, container, isRequired: required };
}

/** The response key of an answer that has only one, whatever the conditions. */
function singleKey(document: DocumentNode, operation: OperationDefinitionNode): string | undefined {
  const selections = rootSelections(document, operation);
  const [key, other] = new Set(selections.flatMap((one) => (one.kind === Kind.FIELD ? (one.alias ?? one.name).value : [])));
  const isConditional = selections.some(({ directives }) => directives?.some(({ name }) => /^(?:skip|include)$/.test(name.value)));
  return other === undefined && !isConditional ? key : undefined;
}
