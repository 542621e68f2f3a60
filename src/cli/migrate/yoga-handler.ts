import { walk } from './references.ts';
import type { Node } from './references.ts';
import type { Problem } from './modern.ts';

/** How the server becomes a handler, or what is in the way. */
export interface YogaHandler {
  /** 'server': the server itself is handed on, and keeps its name. 'function': a function calls it, which createHandler replaces. */
  readonly kind: 'server' | 'function';
  /** The function that calls the server. */
  readonly node: Node;
  /** True when the function gets a `Request`, and hands it on as it is. */
  readonly isFetch: boolean;
  /** Names in the context value that come from the handler, and what they are called here. */
  readonly given: ReadonlyMap<string, 'event' | 'context'>;
  readonly problems: readonly Problem[];
}

/** The handler of a server that the file uses once; undefined when it uses it in a way that is not known. */
export function yogaHandlerIn(program: Node, server: string): YogaHandler | undefined {
  for (const statement of program.body) {
    const node = exportedBy(statement);
    if (node === undefined) continue;
    if (isServer(node, server)) return { kind: 'server', node, isFetch: true, given: new Map(), problems: [] };
    const call = /Function/.test(node.type) ? callIn(node, server) : undefined;
    if (call !== undefined) return passesOn(node, call) ?? recipe(node, call, server);
  }
  return undefined;
}

/** The handler that a statement exports: `export default`, `export const handler`, `exports.handler =`, `module.exports =`. */
function exportedBy(statement: Node): Node | undefined {
  if (statement.type === 'ExportDefaultDeclaration') return statement.declaration;
  if (statement.type === 'ExpressionStatement' && statement.expression.type === 'AssignmentExpression') {
    const { left, right } = statement.expression;
    return left.type === 'MemberExpression' && /^(?:exports|module)$/.test(left.object.name ?? left.object.object?.name)
      ? right
      : undefined;
  }
  const { declaration } = statement.type === 'ExportNamedDeclaration' ? statement : { declaration: undefined };
  if (declaration?.type === 'FunctionDeclaration') return declaration;
  const [declarator, second] = declaration?.type === 'VariableDeclaration' ? declaration.declarations : [];
  return second === undefined ? (declarator?.init ?? undefined) : undefined;
}

/** `yoga`, `yoga.fetch`, `{ fetch: yoga.fetch }`: what createHandler returns can stand in each of these places. */
function isServer(node: Node, server: string): boolean {
  if (node.type === 'ObjectExpression') {
    const [property, second] = node.properties;
    return second === undefined && property?.key?.name === 'fetch' && isServer(property.value, server);
  }
  return node.name === server || (isMember(node, 'fetch') && node.object.name === server);
}

function isMember(node: Node, name: string): boolean {
  return node?.type === 'MemberExpression' && !node.computed && node.property.name === name;
}

function callIn(body: Node, server: string): Node | undefined {
  let found: Node | undefined;
  walk(body, (node) => {
    const { callee } = node.type === 'CallExpression' ? node : { callee: undefined };
    if (callee !== undefined && (callee.name === server || (isMember(callee, 'fetch') && callee.object.name === server))) found = node;
  });
  return found;
}

/** `(request, context) => yoga.fetch(request, context)`: the function adds nothing. */
function passesOn({ params, body }: Node, call: Node): YogaHandler | undefined {
  const [statement, second] = body.type === 'BlockStatement' ? body.body : [];
  const returned = body.type === 'BlockStatement' ? (second === undefined ? statement?.argument : undefined) : body;
  const value = returned?.type === 'AwaitExpression' ? returned.argument : returned;
  const isSame =
    value === call &&
    call.arguments.length > 0 &&
    call.arguments.every(
      (argument: Node, at: number) =>
        argument.type === 'Identifier' && params[at]?.type === 'Identifier' && argument.name === params[at].name,
    );
  return isSame ? { kind: 'function', node: call, isFetch: true, given: new Map(), problems: [] } : undefined;
}

/** Yoga's recipe for Lambda: a URL and a request are made of the event, and a result of the response. */
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
    if (meaning === undefined) problems.push({ node: property, why: 'its handler gives more to the context than event and context' });
    else given.set(key.name, meaning);
  }
  if (call.arguments[2] !== undefined && call.arguments[2].type !== 'ObjectExpression')
    problems.push({ node: call.arguments[2], why: 'what its handler gives to the context is not written out' });
  return { kind: 'function', node: handler, isFetch: false, given, problems };
}

/** The globals that a recipe may use. */
const globals = new Set([
  'URL',
  'URLSearchParams',
  'Headers',
  'Object',
  'Buffer',
  'String',
  'Boolean',
  'Array',
  'encodeURIComponent',
  'undefined',
]);

/** Keys of the request, and of the result. */
const keys = new Set(['method', 'headers', 'body', 'statusCode', 'isBase64Encoded', 'multiValueHeaders', 'cookies']);

/** Nothing in the recipe decides anything: one way out, no field of its own, no name from outside. */
function problemsOfBody(handler: Node, call: Node, known: readonly (string | undefined)[]): Problem[] {
  const { body } = handler;
  const why = 'its handler does more than Yoga’s recipe: it ';
  const problems: Problem[] = [];
  const last = body.body.at(-1);
  if (last?.type !== 'ReturnStatement' || last.argument?.type !== 'ObjectExpression')
    problems.push({ node: last ?? body, why: 'its handler does not end with the result of the function' });
  const names = new Set([...known, ...globals, ...localsOf(body)]);
  for (const node of referencedIn(body)) {
    if (!names.has(node.name)) problems.push({ node, why: `${why}uses ${node.name}` });
  }
  const server = call.arguments[2];
  walk(body, (node) => {
    const found = node === last ? undefined : deeds[node.type]?.(node, server);
    if (found !== undefined) problems.push({ node, why: why + found });
  });
  return problems;
}

/** The values that a recipe may compare with: methods, and the empty string. */
const harmless = new Set(['GET', 'HEAD', 'POST', '']);

/** Everything that a node does in addition to handing on; undefined: it hands on only. */
const deeds: Readonly<Record<string, (node: Node, server: Node) => string | undefined>> = {
  ReturnStatement: () => 'returns early',
  ThrowStatement: () => 'throws',
  TryStatement: () => 'catches errors',
  AssignmentExpression: ({ left }) =>
    left.type === 'MemberExpression' && (!left.computed || left.property.type === 'Literal') ? 'sets a field' : undefined,
  UnaryExpression: ({ operator }) => (operator === 'delete' ? 'deletes a field' : undefined),
  // A choice may keep a header field from the server.
  ContinueStatement: () => 'chooses',
  RestElement: () => 'chooses',
  BinaryExpression: ({ operator, left, right }) =>
    /^[!=]==?$/.test(operator) && [left, right].some(({ value }) => typeof value === 'string' && !harmless.has(value))
      ? 'chooses'
      : undefined,
  CallExpression: ({ callee, arguments: [first] }) => {
    const name = callee.type === 'MemberExpression' ? callee.property.name : '';
    if (/^(?:filter|includes|startsWith|endsWith|indexOf|test|match|some|every|find|delete)$/.test(name)) return 'chooses';
    return /^(?:set|append)$/.test(name) && first?.type === 'Literal' ? 'sets a field' : undefined;
  },
  ObjectExpression: (node, server) => {
    if (node === server) return undefined;
    const other = node.properties.find(({ type, key, computed }: Node) => type === 'Property' && !computed && !keys.has(key.name));
    return other === undefined ? undefined : `adds ${other.key.name ?? other.key.value}`;
  },
  Property: ({ key, value }) =>
    /^(?:statusCode|method|body)$/.test(key.name) && value.type === 'Literal' ? `says itself what the ${key.name} is` : undefined,
};

/** Names that are declared in a body, those of parameters included. */
function localsOf(body: Node): string[] {
  const names: string[] = [];
  const add = (pattern: Node): void => walk(pattern, (node) => void (node.type === 'Identifier' && names.push(node.name)));
  walk(body, (node) => {
    if (node.type === 'VariableDeclarator') add(node.id);
    if (/Function/.test(node.type)) for (const parameter of node.params) add(parameter);
  });
  return names;
}

/** Identifiers that are read as values: not the names of properties, nor those of types. */
export function referencedIn(body: Node): Node[] {
  const others = new Set<Node>();
  const found: Node[] = [];
  walk(body, (node) => {
    if (node.type === 'MemberExpression' && !node.computed) others.add(node.property);
    if (node.type === 'Property' && !node.computed && node.key !== node.value) others.add(node.key);
    if (/^TSType(?:Annotation|Reference|ParameterInstantiation)$/.test(node.type)) walk(node, (inner) => void others.add(inner));
    if (node.type === 'Identifier' && !others.has(node)) found.push(node);
  });
  // `{ event }` has one name in two places.
  return found.filter(({ start }, at) => found.findIndex((one) => one.start === start) === at);
}
