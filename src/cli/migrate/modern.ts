import { packageOf } from './modules.ts';
import { referencesIn, walk } from './references.ts';
import type { ModuleReference, Node } from './references.ts';
import { applyEdits, lineOf, removal } from './rewrite.ts';
import type { Edit, Rewritten } from './rewrite.ts';

/** One generation of servers whose handlers can be written with `createHandler`. */
export interface Generation {
  readonly modules: readonly string[];
  /** Names of these modules that the handler may use. */
  readonly names: readonly string[];
  /** Of these what has the same name here. */
  readonly kept: readonly string[];
  /** Options that mean the same here. */
  readonly options: readonly string[];
  /** Options to add, where the old default was another. */
  readonly added: readonly string[];
  /** The call that makes the handler of a server, and where its own options are. */
  readonly handlerCall: (call: Node, server: string) => { readonly options: Node | undefined } | undefined;
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

const generations: readonly Generation[] = [
  {
    modules: ['apollo-server-lambda'],
    names: ['ApolloServer', 'gql', 'AuthenticationError', 'ForbiddenError'],
    kept: ['gql', 'AuthenticationError', 'ForbiddenError'],
    options: [...sharedOptions, 'context', 'dataSources'],
    // Version 3 let every origin in.
    added: ["cors: { origin: '*' }"],
    handlerCall: ({ callee, arguments: args }, server) =>
      callee.type === 'MemberExpression' && callee.object.name === server && callee.property.name === 'createHandler' && args.length === 0
        ? { options: undefined }
        : undefined,
  },
  {
    modules: ['@apollo/server', '@as-integrations/aws-lambda'],
    names: ['ApolloServer', 'startServerAndCreateLambdaHandler', 'handlers'],
    kept: [],
    options: [...sharedOptions, 'formatError', 'includeStacktraceInErrorResponses', 'persistedQueries'],
    // Version 4 prevents cross-site requests unless it is told not to.
    added: ['csrfPrevention: true'],
    handlerCall: ({ callee, arguments: args }, server) =>
      callee.name === 'startServerAndCreateLambdaHandler' && args[0]?.name === server ? { options: args[2] } : undefined,
  },
];

/** Writes the handler of a file with `createHandler`, where that can be done safely: otherwise the findings say what is in the way. */
export function modernise(text: string, program: Node): Rewritten {
  const references = referencesIn(program);
  const generation = generations.find(({ modules }) => references.some(({ module }) => modules[0] === packageOf(module)));
  if (generation === undefined) return left(text, []);
  const used = references.filter(({ module }) => generation.modules.includes(packageOf(module)));
  const problems = [...problemsOfImports(used, generation)];
  const server = serverIn(program);
  if (server === undefined) return left(text, problems);
  const call = callFor(program, server, generation);
  if (!('options' in call)) return left(text, [...problems, call]);
  problems.push(...problemsOfOptions(server.options, generation), ...problemsOfHandler(call.options));
  if (problems.length > 0) return left(text, problems);

  const edits = [
    ...used.map((reference, at) => importEdit(text, reference, at === 0 ? namesKept(used, generation) : undefined)),
    removal(text, server.declaration),
    {
      start: call.node.start,
      end: call.node.end,
      text: `createHandler(${optionsText(text, { options: server.options, handlerOptions: call.options }, generation)})`,
    },
  ];
  const finding = {
    line: lineOf(text, server.declaration.start),
    message: 'Unexpected errors are masked in production now: see docs/errors.md.',
  };
  return { text: applyEdits(text, edits), findings: [finding], modules: ['graphql-functions'] };
}

export function left(text: string, found: readonly Problem[]): Rewritten {
  const findings = found.map(({ node, why }) => ({ line: lineOf(text, node.start), message: `Not written with createHandler: ${why}.` }));
  return { text, findings, modules: [] };
}

export interface Problem {
  readonly node: Node;
  readonly why: string;
}

export function problemsOfImports(used: readonly ModuleReference[], { names: known }: Pick<Generation, 'names'>): Problem[] {
  return used.flatMap(({ module, literal, names, statement }) => {
    if (statement === undefined) return [{ node: literal, why: `${module} is not imported by names alone` }];
    return names
      .filter(({ imported, local }) => !known.includes(imported) || imported !== local)
      .map(({ imported, local }) => ({
        node: literal,
        why: `it uses ${imported}${imported === local ? '' : ` as ${local}`} of ${module}`,
      }));
  });
}

interface FoundServer {
  readonly name: string;
  readonly declaration: Node;
  readonly options: Node;
}

/** `const server = new ApolloServer({ … })`, alone in its declaration. */
function serverIn(program: Node): FoundServer | undefined {
  const found: FoundServer[] = [];
  walk(program, (node) => {
    const [declarator, second] = node.type === 'VariableDeclaration' ? node.declarations : [];
    const isServer = declarator?.init?.type === 'NewExpression' && declarator.init.callee.name === 'ApolloServer';
    const [options] = isServer ? declarator.init.arguments : [];
    if (second === undefined && options?.type === 'ObjectExpression' && declarator.id.type === 'Identifier')
      found.push({ name: declarator.id.name, declaration: node, options });
  });
  return found.length === 1 ? found[0] : undefined;
}

/** The one call that makes the handler; else why there is none, or what else the server is used for. */
function callFor(program: Node, server: FoundServer, { handlerCall }: Generation): { node: Node; options: Node | undefined } | Problem {
  const calls: { node: Node; options: Node | undefined }[] = [];
  const uses: Node[] = [];
  walk(program, (node) => {
    if (node.type === 'Identifier' && node.name === server.name) uses.push(node);
    const made = node.type === 'CallExpression' ? handlerCall(node, server.name) : undefined;
    if (made !== undefined) calls.push({ node, options: made.options });
  });
  const [call, second] = calls;
  if (call === undefined || second !== undefined)
    return { node: server.declaration, why: 'its handler is made in a way that createHandler does not know' };
  const isOfTheHandler = ({ start }: Node): boolean =>
    start < server.options.start
      ? start >= server.declaration.start
      : start >= call.node.start && start < (call.options?.start ?? call.node.end);
  const other = uses.find((use) => !isOfTheHandler(use));
  return other === undefined
    ? call
    : {
        node: other,
        why: `here its server is used for more than the handler. For the cache of data sources none is needed: return them from the option dataSources, which gives them the cache`,
      };
}

function problemsOfOptions(options: Node, { options: known }: Generation): Problem[] {
  return options.properties.flatMap((property: Node) => {
    const name = property.key?.name ?? property.key?.value;
    if (property.type !== 'Property' || property.computed) return [{ node: property, why: 'its options are not all written out' }];
    if (!known.includes(name)) return [{ node: property, why: `the option ${name} means something else there, or nothing` }];
    return name === 'context' ? problemsOfContext(property.value) : [];
  });
}

/** Of the argument of a context function, `event` and `context` are the same here. */
function problemsOfContext(value: Node): Problem[] {
  if (!/Function/.test(value.type)) return [{ node: value, why: 'its context is not a function that is written there' }];
  const [parameter] = value.params;
  if (parameter === undefined) return [];
  const isKnown =
    parameter.type === 'ObjectPattern' &&
    parameter.properties.every(({ type, key }: Node) => type === 'Property' && (key.name === 'event' || key.name === 'context'));
  return isKnown ? [] : [{ node: parameter, why: 'its context function takes more than { event, context }' }];
}

function problemsOfHandler(options: Node | undefined): Problem[] {
  if (options === undefined) return [];
  if (options.type !== 'ObjectExpression') return [{ node: options, why: 'the options of its handler are not written out' }];
  return options.properties.flatMap((property: Node) =>
    property.key?.name === 'context'
      ? problemsOfContext(property.value)
      : [{ node: property, why: 'its handler has options beside context' }],
  );
}

/** The names that the file imports from this package, in its usual order. */
function namesKept(used: readonly ModuleReference[], { kept }: Generation): string[] {
  return [
    'createHandler',
    ...used.flatMap(({ names }) => names.filter(({ imported }) => kept.includes(imported)).map((name) => name.imported)),
  ];
}

export function importEdit(
  text: string,
  { kind, statement, literal, declaration }: ModuleReference,
  names: readonly string[] | undefined,
): Edit {
  if (names === undefined) return removal(text, statement!);
  const quote = text[literal.start]!;
  const module = `${quote}graphql-functions${quote}`;
  const written =
    kind === 'require' ? `${declaration} { ${names.join(', ')} } = require(${module})` : `import { ${names.join(', ')} } from ${module}`;
  return { ...statement!, text: written + (text[statement!.end - 1] === ';' ? ';' : '') };
}

function optionsText(
  text: string,
  { options, handlerOptions }: { options: Node; handlerOptions: Node | undefined },
  { added }: Generation,
): string {
  const has = new Set(options.properties.map(({ key }: Node) => key.name));
  const extra = [
    ...(handlerOptions?.properties ?? []).map(({ start, end }: Node) => text.slice(start, end)),
    ...added.filter((one) => !has.has(one.split(':')[0]!)),
  ];
  const written = text.slice(options.start, options.end);
  const [, indent = '  '] = /\n([ \t]+)\S/.exec(written) ?? [];
  const isOneLine = !written.includes('\n');
  const first = options.properties[0];
  if (first === undefined) return `{ ${extra.join(', ')} }`;
  // In front, so that types of the context reach the resolvers.
  const before = extra.map((one) => (isOneLine ? `${one}, ` : `${one},\n${indent}`)).join('');
  const at = first.start - options.start;
  return written.slice(0, at) + before + written.slice(at);
}
