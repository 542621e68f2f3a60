import type { SourceFile } from './project.ts';
import type { Node } from './references.ts';
import { problem, propertyNamed, textOf } from './written-code.ts';
import type { Problem } from './written-code.ts';

/** The call that creates a handler or starts a server, and its replacement. */
export interface HandlerCall {
  readonly node: Node;
  /** The object with the handler's options. */
  readonly options: Node | undefined;
  readonly creator: 'createHandler' | 'serve';
  readonly module: 'graphql-functions' | 'graphql-functions/fetch' | 'graphql-functions/node';
  /** How the new context function reads its argument: members of an object, or the first parameter. */
  readonly context: { readonly members: Readonly<Record<string, string>> } | { readonly parameter: string };
  /** Options of the handler beside context that are written by {@link moreArguments}. */
  readonly known: readonly string[];
  readonly moreArguments: (text: string) => string;
  /** False for a file whose handler is called in another way; `otherFiles` says what to do there. */
  readonly isKnownFile: (source: SourceFile) => boolean;
  readonly otherFiles: string;
}

/** A generation of servers whose handlers can be rewritten with `createHandler`. */
export interface Generation {
  readonly modules: RegExp;
  /** Names of these modules that the file may use. */
  readonly names: readonly string[];
  /** Those of them that this package exports under the same name. */
  readonly kept: readonly string[];
  /** Options with the same meaning in this package. */
  readonly options: readonly string[];
  /** Options to add because the old default differs. */
  readonly added: readonly string[];
  readonly handlerCall: (call: Node, server: string) => HandlerCall | undefined;
  /** Advice for a handler that is created differently. */
  readonly remedy: (text: string) => string;
}

const sharedOptions = [
  'typeDefs',
  'resolvers',
  'schema',
  'introspection',
  'csrfPrevention',
  'cache',
  'rootValue',
  'fieldResolver',
  'validationRules',
  'allowBatchedHttpRequests',
  'nodeEnv',
  'logger',
];

/** What all generations of Apollo Server allow by default. */
const sharedDefaults = ["introspection: process.env['NODE_ENV'] !== 'production'", 'maskErrors: false'];

const onLambda = {
  creator: 'createHandler',
  module: 'graphql-functions',
  context: { members: { event: 'event', context: 'context' } },
  known: [],
  moreArguments: () => '',
  isKnownFile: () => true,
  otherFiles: '',
} as const satisfies Partial<HandlerCall>;

export const apolloGenerations: readonly Generation[] = [
  {
    modules: /^apollo-server-lambda(?:\/|$)/,
    names: ['ApolloServer', 'gql', 'AuthenticationError', 'ForbiddenError'],
    kept: ['gql', 'AuthenticationError', 'ForbiddenError'],
    options: [...sharedOptions, 'context', 'dataSources'],
    added: ["cors: { origin: '*' }", 'allowBatchedHttpRequests: { limit: 100 }', ...sharedDefaults],
    handlerCall: (node, server) =>
      node.callee.type === 'MemberExpression' &&
      node.callee.object.name === server &&
      node.callee.property.name === 'createHandler' &&
      node.arguments.length === 0
        ? { ...onLambda, node, options: undefined }
        : undefined,
    remedy: () => '. Export createHandler({ … }) instead',
  },
  {
    modules: /^@apollo\/server(?:\/standalone)?$|^@as-integrations\/(?:aws-lambda|next)$/,
    names: ['ApolloServer', 'startServerAndCreateLambdaHandler', 'handlers', 'startServerAndCreateNextHandler', 'startStandaloneServer'],
    kept: [],
    options: [...sharedOptions, 'formatError', 'includeStacktraceInErrorResponses', 'persistedQueries', 'plugins'],
    // Version 4 prevents CSRF and rejects batches by default.
    added: ['csrfPrevention: true', 'allowBatchedHttpRequests: false', ...sharedDefaults],
    handlerCall: (node, server) =>
      node.arguments[0]?.name === server && Object.hasOwn(callsOfVersion4, node.callee.name)
        ? callsOfVersion4[node.callee.name]!(node)
        : undefined,
    remedy: (text) =>
      /expressMiddleware|@as-integrations\/(?:fastify|koa)/.test(text)
        ? '. Use createListener({ … }) of graphql-functions/node instead: see docs/platforms.md'
        : '. Export createHandler({ … }), or write serve({ … }) of graphql-functions/node for a Node.js server',
  },
];

const callsOfVersion4: Readonly<Record<string, (node: Node) => HandlerCall>> = {
  startServerAndCreateLambdaHandler: (node) => ({ ...onLambda, node, options: node.arguments[2] }),
  startServerAndCreateNextHandler: (node) => ({
    ...onLambda,
    node,
    options: node.arguments[1],
    module: 'graphql-functions/fetch',
    context: { parameter: 'event' },
    isKnownFile: ({ text }) => /\bas (?:GET|POST)\b|export (?:const|async function|function) (?:GET|POST)\b/.test(text),
    otherFiles:
      'an API route in the pages folder receives Node’s request. Move it to app/api/graphql/route.ts, or use createListener({ … }) of graphql-functions/node',
  }),
  startStandaloneServer: (node) => ({
    ...onLambda,
    node,
    options: node.arguments[1],
    creator: 'serve',
    module: 'graphql-functions/node',
    context: { members: { req: 'request', res: 'response' } },
    known: ['listen'],
    moreArguments: (text) => {
      const listen = propertyNamed(node.arguments[1], 'listen');
      return listen === undefined ? '' : `, ${textOf(text, listen.value)}`;
    },
  }),
};

/** Plugins that only change the landing page or stop a Node server, and their replacements. */
const pagePlugins: Readonly<Record<string, string | undefined>> = {
  ApolloServerPluginLandingPageLocalDefault: undefined,
  ApolloServerPluginLandingPageProductionDefault: undefined,
  ApolloServerPluginLandingPageDisabled: 'landingPage: false',
  ApolloServerPluginDrainHttpServer: undefined,
};

/** Options that replace the removed plugins. */
export function droppedPlugins(options: Node): string[] {
  const elements: Node[] = propertyNamed(options, 'plugins')?.value.elements ?? [];
  return elements.map(({ callee }) => pagePlugins[callee.name]).filter((one) => one !== undefined);
}

/** The server's options that cannot be translated. */
export function problemsOfOptions(options: Node, { options: known }: Generation): Problem[] {
  return options.properties.flatMap((property: Node) => {
    const name = property.key?.name ?? property.key?.value;
    if (property.type !== 'Property' || property.computed) return problem(property, 'its options are not a plain object literal');
    if (!known.includes(name)) return problem(property, `the option ${name} has a different meaning in createHandler, or none`);
    if (name === 'plugins') return problemsOfPlugins(property);
    return name === 'context' ? problemsOfContext(property.value, onLambda) : [];
  });
}

function problemsOfPlugins({ value }: Node): Problem[] {
  if (value.type !== 'ArrayExpression') return problem(value, 'its plugins are not an array literal');
  return value.elements
    .filter((element: Node) => element?.type !== 'CallExpression' || !Object.hasOwn(pagePlugins, element.callee.name))
    .map((node: Node) => ({ node, why: 'its plugins may need different hooks: see docs/plugins.md' }));
}

/** The handler's options that cannot be translated. */
export function problemsOfHandler(call: HandlerCall): Problem[] {
  const { options, known } = call;
  if (options === undefined) return [];
  if (options.type !== 'ObjectExpression') return problem(options, 'the options of its handler are not an object literal');
  return options.properties.flatMap((property: Node) => {
    const name = property.key?.name;
    if (name === 'context') return problemsOfContext(property.value, call);
    if (name === 'listen') return problemsOfListen(property.value);
    return known.includes(name) ? [] : problem(property, 'its handler has options other than context');
  });
}

function problemsOfListen(value: Node): Problem[] {
  const isKnown =
    value.type === 'ObjectExpression' && value.properties.every(({ key }: Node) => key?.name === 'port' || key?.name === 'host');
  return isKnown ? [] : problem(value, 'its option listen has more than { port, host }');
}

function problemsOfContext(value: Node, { context }: Pick<HandlerCall, 'context'>): Problem[] {
  if (!/Function/.test(value.type)) return problem(value, 'its context is not a function literal');
  const [parameter, second] = value.params;
  if (parameter === undefined) return [];
  if ('parameter' in context) {
    const isPlain = second === undefined && parameter.type === 'Identifier';
    return isPlain ? [] : problem(parameter, 'its context function takes more than the request');
  }
  const names = Object.keys(context.members);
  const isKnown =
    parameter.type === 'ObjectPattern' &&
    parameter.properties.every(({ type, key }: Node) => type === 'Property' && Object.hasOwn(context.members, key.name));
  return isKnown ? [] : problem(parameter, `its context function takes more than { ${names.join(', ')} }`);
}

/** The context function, with the new names of its argument. */
export function contextText({ file, text }: SourceFile, value: Node, { context }: HandlerCall): string {
  const [parameter] = value.params;
  const written = textOf(text, value);
  if (parameter === undefined) return written;
  if ('members' in context && 'event' in context.members) {
    // The event may come from any platform here, so TypeScript would reject reading from it.
    const reads = parameter.properties.some(({ value: local }: Node) => new RegExp(String.raw`\b${local.name}\??[.[]`).test(written));
    if (!reads || parameter.typeAnnotation || !isTypeScript(file)) return written;
    const end = parameter.end - value.start;
    return `${written.slice(0, end)}: any${written.slice(end)}`;
  }
  const pattern = 'parameter' in context ? `{ ${renamed(context.parameter, parameter.name)} }` : membersPattern(parameter, context.members);
  const before = text.slice(value.start, parameter.start);
  // Adds parentheses around a single parameter.
  const isBare = !/\(\s*$/.test(before);
  return `${before}${isBare ? `(${pattern})` : pattern}${text.slice(parameter.end, value.end)}`;
}

function membersPattern({ properties }: Node, members: Readonly<Record<string, string>>): string {
  return `{ event: { ${properties.map(({ key, value }: Node) => renamed(members[key.name]!, value.name)).join(', ')} } }`;
}

function renamed(name: string, local: string): string {
  return name === local ? name : `${name}: ${local}`;
}

export function isTypeScript(file: string): boolean {
  return /\.[cm]?tsx?$/.test(file);
}
