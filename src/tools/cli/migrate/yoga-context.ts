import { nodesIn } from './references.ts';
import type { Node } from './references.ts';
import type { Project } from './project.ts';
import { applyEdits } from './rewrite.ts';
import { problem, propertyNamed, textOf } from './written-code.ts';
import type { Problem } from './written-code.ts';
import type { YogaHandler } from './yoga-handler.ts';
import { referencedIn } from './yoga-handler.ts';
import { resolverFunctions } from './yoga-schema.ts';
import type { ResolvedValue } from './yoga-schema.ts';

/** Why a context function cannot be rewritten: it may read only the request's method and headers, and the handler's arguments. */
export function problemsOfContext(options: Node, { given, kind }: YogaHandler): Problem[] {
  const value = propertyNamed(options, 'context')?.value;
  if (value === undefined || value.type === 'ObjectExpression') return [];
  if (!/Function/.test(value.type)) return problem(value, 'its context is not a function literal');
  const [parameter] = value.params;
  if (parameter === undefined) return [];
  const isPlain =
    parameter.type === 'ObjectPattern' &&
    !parameter.typeAnnotation &&
    parameter.properties.every(
      ({ type, computed, key, value: local }: Node) =>
        type === 'Property' && !computed && local.type === 'Identifier' && (key.name === 'request' || given.has(key.name)),
    );
  if (!isPlain)
    return problem(
      parameter,
      'its context function takes more than { request } and what its handler passes. Take { request, event, context }, and return what resolvers read',
    );
  const request = requestIn(value);
  if (request === undefined) return [];
  // With a web handler, the event is the same Request; the server has already read its body.
  return usesOfRequest(value.body, request)
    .filter(({ member }) => !(kind === 'fetch' && /^(?:url|headers|method|signal)$/.test(member ?? '')))
    .map(({ node }) => ({ node, why: 'its context function reads more of the request than method, headers.get and headers.has' }));
}

/** True when a context function needs the web Request, which is the event in this package. */
export function readsEvent(value: Node | undefined, { kind }: Pick<YogaHandler, 'kind'>): boolean {
  const request = value === undefined || value.type === 'ObjectExpression' ? undefined : requestIn(value);
  return kind === 'fetch' && request !== undefined && usesOfRequest(value.body, request).length > 0;
}

function requestIn(contextFunction: Node): string | undefined {
  return propertyNamed(contextFunction.params[0], 'request')?.value.name;
}

/** Uses of a Request beyond `method`, `headers.get` and `headers.has`, which this package's request has. */
function usesOfRequest(body: Node, request: string): { readonly node: Node; readonly member: string | undefined }[] {
  const same = new Set<Node>();
  const members = new Map<Node, string>();
  for (const { object, property, computed } of nodesIn(body, 'MemberExpression')) {
    if (computed) continue;
    if (object.name === request) members.set(object, property.name);
    if (object.name === request && property.name === 'method') same.add(object);
    const isHeaders = object.type === 'MemberExpression' && object.object.name === request && object.property.name === 'headers';
    if (isHeaders && /^(?:get|has)$/.test(property.name)) same.add(object.object);
  }
  return referencedIn(body)
    .filter((node) => node.name === request && !same.has(node))
    .map((node) => ({ node, member: members.get(node) }));
}

/** The context function, with the new names of the platform's arguments. */
export function contextText(text: string, value: Node, handler: YogaHandler): string {
  const { given } = handler;
  const written = textOf(text, value);
  if (value.type === 'ObjectExpression') return `() => (${written})`;
  const isEvent = readsEvent(value, handler);
  const properties: Node[] = value.params[0]?.properties ?? [];
  const edits = properties.map(({ key, value: local, start, end }) => {
    const name = isEvent && key.name === 'request' ? 'event' : (given.get(key.name) ?? key.name);
    return { start: start - value.start, end: end - value.start, text: name === local.name ? name : `${name}: ${local.name}` };
  });
  return applyEdits(written, edits);
}

/** Here, resolvers receive only what the context function returns. In Yoga, the request and the handler's arguments are added. */
export function problemsOfResolvers(schema: ResolvedValue, options: Node, { given, kind }: YogaHandler, project: Project): Problem[] {
  const property = propertyNamed(schema.node, 'resolvers');
  if (property === undefined) return [];
  const functions = resolverFunctions({ node: property.value, source: schema.source }, project);
  const place = (node: Node): Node => (schema.isHere ? node : propertyNamed(options, 'schema'));
  if (functions === undefined)
    return problem(
      place(property),
      'its resolvers are not all in this file or its imports, and may read request, params or event from the context value',
    );
  const isRead = (name: string): boolean => name === 'request' || name === 'params' || given.has(name);
  return functions.flatMap(({ node, source }) => {
    const at = source === schema.source ? place(node) : property;
    const read = namesRead(node);
    // With a web handler, the names of the platform's arguments are unknown.
    if (read === undefined) return problem(at, 'a resolver passes the whole context value on, so migrate cannot see what is read from it');
    const found = read.find(
      (name) =>
        isRead(name) || (kind !== 'recipe' && /^(?:env|waitUntil|geo|ip|site|deploy|cookies|passThroughOnException|req|res)$/.test(name)),
    );
    return found === undefined ? [] : problem(at, `a resolver reads ${found} from the context value. Return it from context first`);
  });
}

/** The names that a resolver reads from the context value; undefined when they cannot be determined. */
function namesRead({ params, body }: Node): string[] | undefined {
  if (params.slice(0, 3).some(({ type }: Node) => type === 'RestElement')) return undefined;
  if (referencedIn(body).some(({ name }) => name === 'arguments')) return undefined;
  const [, , context] = params;
  if (context === undefined) return [];
  if (context.type === 'ObjectPattern') {
    const isPlain = context.properties.every(({ type, computed }: Node) => type === 'Property' && !computed);
    return isPlain ? context.properties.map(({ key }: Node) => key.name) : undefined;
  }
  if (context.type !== 'Identifier') return undefined;
  const members = nodesIn(body, 'MemberExpression').filter(({ computed, object }) => !computed && object.name === context.name);
  const names = new Map<Node, string>(members.map(({ object, property }) => [object, property.name]));
  const uses = referencedIn(body).filter(({ name }) => name === context.name);
  return uses.every((use) => names.has(use)) ? [...names.values()] : undefined;
}
