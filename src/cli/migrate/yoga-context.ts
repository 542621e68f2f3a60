import type { Problem } from './modern.ts';
import { walk } from './references.ts';
import type { Node } from './references.ts';
import { applyEdits } from './rewrite.ts';
import type { YogaHandler } from './yoga-handler.ts';
import { referencedIn } from './yoga-handler.ts';

/** Of the argument of a context function: the request's method and header fields, and what the handler gave. */
export function problemsOfContext(options: Node, { given }: YogaHandler): Problem[] {
  const value = options.properties.find(({ key }: Node) => key?.name === 'context')?.value;
  if (value === undefined) return [];
  if (!/Function/.test(value.type)) return [{ node: value, why: 'its context is not a function that is written there' }];
  const [parameter] = value.params;
  if (parameter === undefined) return [];
  const isPlain =
    parameter.type === 'ObjectPattern' &&
    !parameter.typeAnnotation &&
    parameter.properties.every(
      ({ type, computed, key, value: local }: Node) =>
        type === 'Property' && !computed && local.type === 'Identifier' && (key.name === 'request' || given.has(key.name)),
    );
  if (!isPlain) return [{ node: parameter, why: 'its context function takes more than { request } and what its handler gives' }];
  const request = parameter.properties.find(({ key }: Node) => key.name === 'request')?.value.name;
  return request === undefined ? [] : problemsOfRequest(value.body, request);
}

/** `request` is not the web's here: its method, and its header fields by get and has, are alike. */
function problemsOfRequest(body: Node, request: string): Problem[] {
  const known = new Set<Node>();
  walk(body, (node) => {
    const { object, property, computed } =
      node.type === 'MemberExpression' ? node : { object: undefined, property: undefined, computed: true };
    if (computed) return;
    if (object.name === request && property.name === 'method') known.add(object);
    const isHeaders = object.type === 'MemberExpression' && object.object.name === request && object.property.name === 'headers';
    if (isHeaders && /^(?:get|has)$/.test(property.name)) known.add(object.object);
  });
  return referencedIn(body)
    .filter((node) => node.name === request && !known.has(node))
    .map((node) => ({ node, why: 'its context function needs more of the request than method, headers.get and headers.has' }));
}

/** The context function, with the names of what the platform gives. */
export function contextText(text: string, value: Node, { given }: YogaHandler): string {
  const properties: Node[] = value.params[0]?.properties ?? [];
  const edits = properties.map(({ key, value: local, start, end }) => {
    const name = given.get(key.name) ?? key.name;
    return { start: start - value.start, end: end - value.start, text: name === local.name ? name : `${name}: ${local.name}` };
  });
  return applyEdits(text.slice(value.start, value.end), edits);
}

/** Resolvers get what the context function returns alone. There, the request and what the handler gave are beside it. */
export function problemsOfResolvers(program: Node, schema: Node | undefined, { given, isFetch }: YogaHandler): Problem[] {
  const property = schema?.properties.find(({ key }: Node) => key?.name === 'resolvers');
  if (property === undefined) return [];
  const map = property.value.type === 'Identifier' ? declared(program, property.value.name) : property.value;
  const functions = functionsIn(map);
  if (functions === undefined)
    return [
      { node: property, why: 'its resolvers are not all written in this file, and may read request, params or event of the context value' },
    ];
  const isRead = (name: string): boolean => name === 'request' || name === 'params' || given.has(name);
  return functions.flatMap((one) => {
    const read = namesRead(one);
    // With a web handler, the names of what the platform hands on are not known.
    if (read === undefined)
      return [{ node: one, why: 'a resolver hands the context value on as a whole: what it reads of it cannot be seen' }];
    const found = read.find(
      (name) => isRead(name) || (isFetch && /^(?:env|waitUntil|geo|ip|site|deploy|cookies|passThroughOnException)$/.test(name)),
    );
    return found === undefined ? [] : [{ node: one, why: `a resolver reads ${found} of the context value: return it from context first` }];
  });
}

function declared(program: Node, name: string): Node | undefined {
  for (const statement of program.body) {
    const [declarator] = statement.type === 'VariableDeclaration' && statement.kind === 'const' ? statement.declarations : [];
    if (declarator?.id.name === name) return declarator.init;
  }
  return undefined;
}

/** All functions of a map of resolvers; undefined when something in it is from elsewhere. */
function functionsIn(node: Node | undefined): Node[] | undefined {
  if (node === undefined) return undefined;
  if (/Function/.test(node.type)) return [node];
  if (node.type === 'Literal') return [];
  if (node.type !== 'ObjectExpression') return undefined;
  const inside: (Node[] | undefined)[] = node.properties.map(({ type, value }: Node) =>
    type === 'Property' ? functionsIn(value) : undefined,
  );
  return inside.includes(undefined) ? undefined : (inside as Node[][]).flat();
}

/** The names that a resolver reads of the context value; undefined when they cannot be seen. */
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
  const names = new Map<Node, string>();
  walk(body, (node) => {
    if (node.type === 'MemberExpression' && !node.computed && node.object.name === context.name) names.set(node.object, node.property.name);
  });
  const uses = referencedIn(body).filter(({ name }) => name === context.name);
  return uses.every((use) => names.has(use)) ? [...names.values()] : undefined;
}
