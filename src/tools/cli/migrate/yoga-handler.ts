import { nodesIn } from './references.ts';
import type { Node } from './references.ts';
import { onlyDeclarator, propertyNamed, usesOf } from './written-code.ts';
import type { Problem } from './written-code.ts';

/** How the server becomes a handler, or why it cannot be rewritten. */
export interface YogaHandler {
  /**
   * 'fetch': the server receives a `Request` and keeps its name. 'node': it handles requests of node:http. 'recipe': a function
   * converts events to requests, and createHandler replaces that function.
   */
  readonly kind: 'fetch' | 'node' | 'recipe';
  /** The statement or function that the server is used in. */
  readonly node: Node;
  /** The function that creates a server for each request. */
  readonly around: Node | undefined;
  /** The call of the server in a function that does nothing else. */
  readonly call: Node | undefined;
  /** Names in the context value that come from the handler, and what they are called here. */
  readonly given: ReadonlyMap<string, 'event' | 'context'>;
  readonly problems: readonly Problem[];
}

const asFetch = { kind: 'fetch', around: undefined, call: undefined, given: new Map(), problems: [] } as const;

/** The handler of a server; undefined when the file uses the server in an unknown way. */
export function yogaHandlerIn(program: Node, server: string, declaration: Node): YogaHandler | undefined {
  const uses = usesOf(program, server).length;
  for (const statement of program.body) {
    const specifiers: Node[] = statement.type === 'ExportNamedDeclaration' && !statement.source ? statement.specifiers : [];
    const exported = specifiers.filter(({ local }) => local.name === server);
    // `export { yoga }` has one identifier for both of its names.
    if (exported.length > 0) return exported.length === uses - 1 ? { ...asFetch, node: statement } : undefined;
  }
  if (uses !== 2) return undefined;
  return nodeServerIn(program, server) ?? exportedHandlerIn(program, server, declaration);
}

/** `createServer(yoga)` of node:http. */
function nodeServerIn(program: Node, server: string): YogaHandler | undefined {
  const node = nodesIn(program, 'CallExpression').findLast(
    ({ callee, arguments: args }) => (callee.name ?? callee.property?.name) === 'createServer' && args.at(-1)?.name === server,
  );
  return node && { ...asFetch, kind: 'node', node };
}

function exportedHandlerIn(program: Node, server: string, declaration: Node): YogaHandler | undefined {
  for (const statement of program.body) {
    const node = exportedBy(statement);
    if (node === undefined) continue;
    if (isServer(node, server)) return { ...asFetch, node };
    const called = functionOf(node);
    const call = called && callIn(called, server);
    if (call !== undefined) return passesOn(called!, call, { statement, declaration }) ?? recipe(called!, call, server);
  }
  return undefined;
}

/** The handler that a statement exports: `export default`, `export const handler`, `exports.handler =`, `module.exports =`. */
function exportedBy(statement: Node): Node | undefined {
  if (statement.type === 'ExportDefaultDeclaration') return withoutTypes(statement.declaration);
  if (statement.type === 'ExpressionStatement' && statement.expression.type === 'AssignmentExpression') {
    const { left, right } = statement.expression;
    return left.type === 'MemberExpression' && /^(?:exports|module)$/.test(left.object.name ?? left.object.object?.name)
      ? right
      : undefined;
  }
  const { declaration } = statement.type === 'ExportNamedDeclaration' ? statement : { declaration: undefined };
  if (declaration?.type === 'FunctionDeclaration') return declaration;
  return withoutTypes(onlyDeclarator(declaration)?.init) ?? undefined;
}

/** `value satisfies Type`, `value as Type` → `value`. */
function withoutTypes(node: Node): Node {
  return /^TS(?:Satisfies|As)Expression$/.test(node?.type) ? node.expression : node;
}

/** The function itself, or `fetch` of `{ fetch(request) { … } }`. */
function functionOf(node: Node): Node | undefined {
  if (/Function/.test(node.type)) return node;
  const fetch = node.type === 'ObjectExpression' ? propertyNamed(node, 'fetch')?.value : undefined;
  return fetch !== undefined && /Function/.test(fetch.type) ? fetch : undefined;
}

/** `yoga`, `yoga.fetch`, `{ fetch: yoga.fetch }`: createHandler's result can replace each of these. */
function isServer(node: Node, server: string): boolean {
  if (node.type === 'ObjectExpression') {
    const [property, second] = node.properties;
    return second === undefined && property?.key?.name === 'fetch' && isServer(property.value, server);
  }
  return node.name === server || (isFetchMember(node) && node.object.name === server);
}

/** Methods of Yoga's server that take a Request. Those that this package lacks are rewritten as `fetch`. */
function isFetchMember(node: Node): boolean {
  return node?.type === 'MemberExpression' && !node.computed && /^(?:fetch|handleRequest|handle)$/.test(node.property.name);
}

function callIn(body: Node, server: string): Node | undefined {
  return nodesIn(body, 'CallExpression').findLast(
    ({ callee }) => callee.name === server || (isFetchMember(callee) && callee.object.name === server),
  );
}

/** `(request, context) => yoga.fetch(request, context)`: the function only passes the request on, but may create the server. */
function passesOn(
  handler: Node,
  call: Node,
  { statement, declaration }: { readonly statement: Node; readonly declaration: Node },
): YogaHandler | undefined {
  const { params, body } = handler;
  const statements: Node[] = body.type === 'BlockStatement' ? body.body.filter((one: Node) => one !== declaration) : [];
  const returned = body.type === 'BlockStatement' ? (statements.length === 1 ? statements[0].argument : undefined) : body;
  const value = returned?.type === 'AwaitExpression' ? returned.argument : returned;
  const names = params.map((param: Node) => param.name);
  const isSame =
    value === call &&
    call.arguments.length > 0 &&
    call.arguments[0].name === names[0] &&
    call.arguments.every((argument: Node) => argument.type === 'Identifier' && names.includes(argument.name));
  if (!isSame) return undefined;
  const isInside = body.type === 'BlockStatement' && body.body.includes(declaration);
  return { ...asFetch, node: statement, call, around: isInside ? handler : undefined };
}

/** Yoga's recipe for Lambda: converts the event to a request, and the response to a result. */
function recipe(handler: Node, call: Node, server: string): YogaHandler {
  const [event, context, third] = handler.params;
  const problems: Problem[] = [];
  const isPlain = [event, context].every((param) => param === undefined || param.type === 'Identifier');
  if (event === undefined || third !== undefined || !isPlain || handler.body.type !== 'BlockStatement')
    problems.push({ node: handler, why: 'its handler is not a function of event and context' });
  else problems.push(...problemsOfBody(handler, call, [event.name, context?.name, server]));
  const given = new Map<string, 'event' | 'context'>();
  for (const property of call.arguments[2]?.properties ?? []) {
    const { key, value } = property.type === 'Property' && !property.computed ? property : { key: undefined, value: undefined };
    const meaning =
      value?.name === undefined ? undefined : value.name === event?.name ? 'event' : value.name === context?.name ? 'context' : undefined;
    if (meaning === undefined) problems.push({ node: property, why: 'its handler passes more to the context than event and context' });
    else given.set(key.name, meaning);
  }
  if (call.arguments[2] !== undefined && call.arguments[2].type !== 'ObjectExpression')
    problems.push({ node: call.arguments[2], why: 'what its handler passes to the context is not an object literal' });
  return { kind: 'recipe', node: handler, around: undefined, call, given, problems };
}

/** The globals that a recipe may use. */
const globals = 'URL URLSearchParams Headers Object Buffer String Boolean Array encodeURIComponent undefined'.split(' ');

/** Keys of the request, and of the result. */
const keys = new Set(['method', 'headers', 'body', 'statusCode', 'isBase64Encoded', 'multiValueHeaders', 'cookies']);

/** True when the recipe contains no other logic: one return, no additional fields, no names from outside. */
function problemsOfBody(handler: Node, call: Node, known: readonly (string | undefined)[]): Problem[] {
  const { body } = handler;
  const why = 'its handler does more than Yoga’s recipe: it ';
  const problems: Problem[] = [];
  const last = body.body.at(-1);
  if (last?.type !== 'ReturnStatement' || last.argument?.type !== 'ObjectExpression')
    problems.push({ node: last ?? body, why: 'its handler does not end by returning its result' });
  const names = new Set([...known, ...globals, ...localsOf(body)]);
  for (const node of referencedIn(body)) {
    if (!names.has(node.name)) problems.push({ node, why: `${why}uses ${node.name}` });
  }
  const server = call.arguments[2];
  for (const node of nodesIn(body)) {
    const found = node === last ? undefined : deeds[node.type]?.(node, server);
    if (found !== undefined) problems.push({ node, why: why + found });
  }
  return problems;
}

/** The values that a recipe may compare with: methods, and the empty string. */
const harmless = new Set(['GET', 'HEAD', 'POST', '']);

/** What a node does besides passing values on. Undefined if nothing. */
const deeds: Readonly<Record<string, (node: Node, server: Node) => string | undefined>> = {
  ReturnStatement: () => 'returns early',
  ThrowStatement: () => 'throws',
  TryStatement: () => 'catches errors',
  AssignmentExpression: ({ left }) =>
    left.type === 'MemberExpression' && (!left.computed || left.property.type === 'Literal') ? 'sets a field' : undefined,
  UnaryExpression: ({ operator }) => (operator === 'delete' ? 'deletes a field' : undefined),
  // A condition may hide a header from the server.
  ContinueStatement: () => 'has conditions',
  RestElement: () => 'has conditions',
  BinaryExpression: ({ operator, left, right }) =>
    /^[!=]==?$/.test(operator) && [left, right].some(({ value }) => typeof value === 'string' && !harmless.has(value))
      ? 'has conditions'
      : undefined,
  CallExpression: ({ callee, arguments: [first] }) => {
    const name = callee.type === 'MemberExpression' ? callee.property.name : '';
    if (/^(?:filter|includes|startsWith|endsWith|indexOf|test|match|some|every|find|delete)$/.test(name)) return 'has conditions';
    return /^(?:set|append)$/.test(name) && first?.type === 'Literal' ? 'sets a field' : undefined;
  },
  ObjectExpression: (node, server) => {
    if (node === server) return undefined;
    const other = node.properties.find(({ type, key, computed }: Node) => type === 'Property' && !computed && !keys.has(key.name));
    return other === undefined ? undefined : `adds ${other.key.name ?? other.key.value}`;
  },
  Property: ({ key, value }) =>
    /^(?:statusCode|method|body)$/.test(key.name) && value.type === 'Literal' ? `sets the ${key.name}` : undefined,
};

/** Names declared in a body, including parameters. */
function localsOf(body: Node): string[] {
  const patterns = nodesIn(body).flatMap(({ type, id, params }) =>
    type === 'VariableDeclarator' ? [id] : /Function/.test(type) ? params : [],
  );
  return nodesIn(patterns, 'Identifier').map(({ name }) => name);
}

/** Identifiers that are read as values, excluding names of properties and types. */
export function referencedIn(body: Node): Node[] {
  const others = new Set<Node>();
  const found: Node[] = [];
  for (const node of nodesIn(body)) {
    if (node.type === 'MemberExpression' && !node.computed) others.add(node.property);
    if (node.type === 'Property' && !node.computed && node.key !== node.value) others.add(node.key);
    if (/^TSType(?:Annotation|Reference|ParameterInstantiation)$/.test(node.type)) for (const inner of nodesIn(node)) others.add(inner);
    if (node.type === 'Identifier' && !others.has(node)) found.push(node);
  }
  // `{ event }` has one name in two places.
  return found.filter(({ start }, at) => found.findIndex((one) => one.start === start) === at);
}
