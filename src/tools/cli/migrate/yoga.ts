import type { Project, SourceFile } from './project.ts';
import { nodesIn, referencesIn } from './references.ts';
import type { ModuleReference, Node } from './references.ts';
import { applyEdits, lineOf, removal } from './rewrite.ts';
import type { Edit, Rewritten } from './rewrite.ts';
import { importEdits, isInside, left, onlyDeclarator, problem, problemsOfImports, propertyNamed } from './written-code.ts';
import type { NewImport, Problem } from './written-code.ts';
import { contextText, problemsOfContext, problemsOfResolvers, readsEvent } from './yoga-context.ts';
import { referencedIn, yogaHandlerIn } from './yoga-handler.ts';
import type { YogaHandler } from './yoga-handler.ts';
import { problemsOfOptions, writtenOptions } from './yoga-options.ts';
import { schemaOf } from './yoga-schema.ts';
import type { ResolvedValue } from './yoga-schema.ts';

/** Names of Yoga's packages that work with any server. */
const ofSubscription = ['createPubSub', 'filter', 'map', 'pipe', 'Repeater'];
const known = ['createYoga', 'createSchema', ...ofSubscription];

/** `const yoga = createYoga({ … })`, alone in its declaration; or `const { handleRequest } = createYoga({ … })`. */
interface FoundServer {
  readonly name: string;
  readonly declaration: Node;
  readonly call: Node;
}

/**
 * Rewrites a handler of GraphQL Yoga with `createHandler` or `createListener`. If anything prevents that, the file stays unchanged
 * and the findings say why.
 */
export function modernizeYoga(source: SourceFile, project: Project): Rewritten | undefined {
  const { text, program } = source;
  const used = referencesIn(program).filter(({ module }) => module === 'graphql-yoga');
  const names = used.flatMap((reference) => reference.names.map(({ imported }) => imported));
  const isServerFile = names.some((name) => name === 'createYoga' || name.startsWith('GraphQLServer'));
  if (!isServerFile && used.every(({ statement }) => statement !== undefined)) return undefined;
  const problems: Problem[] = problemsOfImports(used, known);
  const server = serverIn(program);
  if (server === undefined) {
    const why = 'its server is not a single createYoga({ … }) with a name. Write const yoga = createYoga({ … }), and run migrate again';
    return left(text, problems.length > 0 ? problems : problem(used[0]!.literal, why));
  }
  const handler = yogaHandlerIn(program, server.name, server.declaration);
  if (handler === undefined)
    return left(text, [
      ...problems,
      {
        node: server.declaration,
        why: 'its handler is created in a way that cannot be converted. Export createHandler({ … }), or pass createListener({ … }) of graphql-functions/node to the Node.js server',
      },
    ]);
  const [options] = server.call.arguments;
  const schema = options?.type === 'ObjectExpression' ? schemaOf(source, options, project) : undefined;
  problems.push(...handler.problems, ...problemsOfOptions(options, schema));
  if (schema === undefined) return left(text, problems);
  if (handler.around === undefined && handler.node.start < server.declaration.start)
    problems.push({ node: handler.node, why: 'its handler is declared above its server' });
  problems.push(
    ...problemsOfContext(options, handler),
    ...problemsOfResolvers(schema, options, handler, project),
    ...problemsOfScope(options, handler),
  );
  if (problems.length > 0) return left(text, problems);

  return writeServer(source, { server, handler, schema, used, names });
}

/** A server that can be rewritten, and its file's imports from Yoga. */
interface Writable {
  readonly server: FoundServer;
  readonly handler: YogaHandler;
  readonly schema: ResolvedValue;
  readonly used: readonly ModuleReference[];
  readonly names: readonly string[];
}

function writeServer({ text, program }: SourceFile, { server, handler, schema, used, names }: Writable): Rewritten {
  const [options] = server.call.arguments;
  const parts = partsOf(names, schema.isHere ? [] : ['createSchema']);
  const creator = handler.kind === 'node' ? 'createListener' : 'createHandler';
  const created = `${creator}(${writtenOptions(text, options, { schema, contextText: (value) => contextText(text, value, handler) })})`;
  const edits = [
    ...importEdits(text, used, [{ names: [creator], module: moduleFor(options, handler) }, ...parts]),
    ...handlerEdits(text, server, handler, created),
    ...unusedTypes(text, program, [server.declaration, handler.node], handler),
  ];
  const finding = {
    line: lineOf(text, server.declaration.start),
    message:
      'Other origins no longer get credentials unless cors names them, pages for browsers are shown only in development, and every path is answered: see docs/migration-servers.md, "From GraphQL Yoga".',
  };
  return { text: applyEdits(text, edits), findings: [finding], modules: ['graphql-functions', ...parts.map(({ module }) => module)] };
}

/** The entry to import from. With the one for web handlers, the event's type is Request. */
function moduleFor(options: Node, handler: YogaHandler): string {
  if (handler.kind === 'node') return 'graphql-functions/node';
  return readsEvent(propertyNamed(options, 'context')?.value, handler) ? 'graphql-functions/fetch' : 'graphql-functions';
}

/**
 * Rewrites files without a server once the project has no Yoga server left: createSchema and createPubSub have separate packages.
 */
export function modernizeYogaParts({ text, program }: SourceFile, project: Project): Rewritten | undefined {
  const used = referencesIn(program).filter(({ module }) => module === 'graphql-yoga');
  if (used.length === 0 || problemsOfImports(used, known).length > 0) return undefined;
  if (
    project.someText((one) => one.includes('createYoga')) ||
    !project.someText((one) => /['"]graphql-functions(?:\/(?:node|fetch))?['"]/.test(one))
  )
    return undefined;
  const parts = partsOf(
    used.flatMap(({ names }) => names.map(({ imported }) => imported)),
    ['createSchema'],
  );
  return { text: applyEdits(text, importEdits(text, used, parts)), findings: [], modules: parts.map(({ module }) => module) };
}

/** The imports for names that Yoga re-exported. */
function partsOf(names: readonly string[], schemaNames: readonly string[]): NewImport[] {
  const makers = names.filter((name) => schemaNames.includes(name)).map((name) => `makeExecutableSchema as ${name}`);
  const subscription = names.filter((name) => ofSubscription.includes(name));
  return [
    { names: makers, module: '@graphql-tools/schema' },
    { names: subscription, module: '@graphql-yoga/subscription' },
  ].filter((one) => one.names.length > 0);
}

function serverIn(program: Node): FoundServer | undefined {
  const found = nodesIn(program, 'VariableDeclaration').flatMap((declaration): FoundServer[] => {
    const { id, init } = onlyDeclarator(declaration) ?? {};
    if (init?.callee?.name !== 'createYoga' || init.arguments[0]?.type !== 'ObjectExpression') return [];
    const [property, second] = id.type === 'ObjectPattern' ? id.properties : [];
    const name =
      id.type === 'Identifier' ? id.name : second === undefined && property?.key.name === 'handleRequest' ? property.value.name : undefined;
    return name === undefined ? [] : [{ name, declaration, call: init }];
  });
  return found.length === 1 ? found[0] : undefined;
}

/** A server that was created for each request is created once, so its options must not depend on the surrounding function. */
function problemsOfScope(options: Node, { around }: YogaHandler): Problem[] {
  if (around === undefined) return [];
  const locals = around.params.flatMap((parameter: Node) => referencedIn(parameter).map(({ name }) => name));
  const used = referencedIn(options).find(({ name }) => locals.includes(name));
  return used === undefined
    ? []
    : problem(used, `its options read ${used.name} from the enclosing function: read event, env or context from the argument of context`);
}

function handlerEdits(text: string, { name, declaration, call }: FoundServer, handler: YogaHandler, created: string): Edit[] {
  const { kind, node } = handler;
  if (kind === 'recipe') return recipeEdits(text, declaration, node, created);
  const { id } = declaration.declarations[0];
  const renamed = id.type === 'ObjectPattern' ? [{ ...rangeOf(id), text: name }] : [];
  if (handler.around === undefined) return [...renamed, { ...rangeOf(call), text: created }, ...calledEdits(name, handler)];
  const hoisted = `${declaration.kind} ${name} = ${outdented(text, declaration, created)};\n\n`;
  return [{ start: node.start, end: node.start, text: hoisted }, removal(text, indented(text, declaration)), ...calledEdits(name, handler)];
}

/** `yoga.handleRequest(request, context)` → `yoga.fetch(request, env, context)`, with the arguments of the surrounding function. */
function calledEdits(name: string, { call }: YogaHandler): Edit[] {
  if (call === undefined || call.callee.name === name || call.callee.property.name === 'fetch') return [];
  return [{ ...rangeOf(call.callee), text: name }];
}

/** Includes the preceding spaces. */
function indented(text: string, { start, end }: Node): { start: number; end: number } {
  return { start: start - (/[ \t]*$/.exec(text.slice(0, start))?.[0].length ?? 0), end };
}

/** Removes the indentation of an inner function, except inside template literals. */
function outdented(text: string, declaration: Node, written: string): string {
  const margin = text.slice(indented(text, declaration).start, declaration.start);
  return written.includes('`') ? written : written.replaceAll(`\n${margin}`, '\n');
}

function recipeEdits(text: string, declaration: Node, node: Node, created: string): Edit[] {
  const isDeclared = node.type === 'FunctionDeclaration' && node.id !== null && text.slice(0, node.start).trimEnd().endsWith('export');
  return [
    removal(text, declaration),
    {
      ...rangeOf(node),
      text: isDeclared ? `const ${node.id.name} = ${created};` : node.type === 'FunctionDeclaration' ? `${created};` : created,
    },
  ];
}

function rangeOf({ start, end }: Node): { start: number; end: number } {
  return { start, end };
}

/** Event types that only the removed code uses. */
function unusedTypes(text: string, program: Node, gone: readonly Node[], { kind }: YogaHandler): Edit[] {
  const statement = program.body.find(({ type, source }: Node) => type === 'ImportDeclaration' && source.value === 'aws-lambda');
  if (statement === undefined || kind !== 'recipe') return [];
  const locals = new Set(statement.specifiers.map(({ local }: Node) => local.name));
  const isUsed = nodesIn(program, 'Identifier').some((node) => locals.has(node.name) && !isInside(node, [statement, ...gone]));
  return isUsed ? [] : [removal(text, statement)];
}
