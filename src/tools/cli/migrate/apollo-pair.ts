import { apolloGenerations, problemsOfHandler, problemsOfOptions } from './apollo-options.ts';
import type { Generation, HandlerCall } from './apollo-options.ts';
import type { Project, SourceFile } from './project.ts';
import { nodesIn, referencesIn } from './references.ts';
import type { ModuleReference, Node } from './references.ts';
import { isInside, onlyDeclarator, problem, problemsOfImports, usesOf } from './written-code.ts';
import type { Problem } from './written-code.ts';

/** `const server = new ApolloServer({ … })`, alone in its declaration. */
export interface FoundServer {
  readonly name: string;
  readonly declaration: Node;
  readonly creation: Node;
  readonly options: Node;
}

/** A server and the one call that makes its handler, which may be in another file. */
export interface Pair {
  readonly server: SourceFile & FoundServer;
  readonly handler: SourceFile & { readonly call: HandlerCall };
  readonly generation: Generation;
  /** The options that keep what was allowed by default. */
  readonly added: readonly string[];
}

export type FoundPair = Omit<Pair, 'added'>;

/** The server that a file defines or imports, with the call that creates its handler; or why there is no such pair. */
export function findPair(source: SourceFile, project: Project, generation: Generation | undefined): FoundPair | Problem | undefined {
  const local = serverIn(source.program);
  const serverFile = local === undefined ? importedServer(source, project) : { ...source, ...local };
  if (serverFile === undefined) return undefined;
  const found = generationOf(serverFile) ?? generation;
  if (found === undefined) return undefined;
  const files = [source, ...project.importersOf(serverFile.file).map((importer) => importer.source)];
  if (serverFile.file !== source.file) files.push(serverFile);
  const calls = [...new Map(files.map((one) => [one.file, one])).values()].flatMap((one) =>
    callsIn(one, localNameOf(one, serverFile, project), found).map((call) => ({ ...one, call })),
  );
  const [handler, second] = calls;
  if (handler === undefined || second !== undefined) {
    if (local === undefined) return undefined;
    const unknown = `its handler is created in a way that cannot be converted${found.remedy(source.text)}`;
    return { node: local.declaration, why: second === undefined ? unknown : 'its server has several handlers' };
  }
  return { server: serverFile, handler, generation: found };
}

/** The generation whose packages a file imports. */
export function generationOf({ program }: SourceFile): Generation | undefined {
  const references = referencesIn(program);
  return apolloGenerations.find(({ modules }) => references.some(({ module }) => modules.test(module)));
}

function serverIn(program: Node): FoundServer | undefined {
  const found = nodesIn(program, 'VariableDeclaration').flatMap((declaration): FoundServer[] => {
    const { id, init } = onlyDeclarator(declaration) ?? {};
    if (init?.type !== 'NewExpression' || init.callee.name !== 'ApolloServer' || id.type !== 'Identifier') return [];
    const [options] = init.arguments;
    return options?.type === 'ObjectExpression' ? [{ name: id.name, declaration, creation: init, options }] : [];
  });
  return found.length === 1 ? found[0] : undefined;
}

/** The server of another file that a file imports. */
function importedServer(source: SourceFile, project: Project): (SourceFile & FoundServer) | undefined {
  for (const { type, source: from } of source.program.body) {
    const file = type === 'ImportDeclaration' ? project.resolve(source.file, from.value) : undefined;
    const other = file === undefined ? undefined : project.read(file);
    const server = other && serverIn(other.program);
    if (server !== undefined) return { ...other!, ...server };
  }
  return undefined;
}

/** The local name of the server in a file. Undefined when the file does not import it by name. */
function localNameOf(source: SourceFile, server: SourceFile & FoundServer, project: Project): string | undefined {
  if (source.file === server.file) return server.name;
  const specifiers: Node[] = source.program.body.flatMap(({ type, source: from, specifiers: inside }: Node) =>
    type === 'ImportDeclaration' && project.resolve(source.file, from.value) === server.file ? inside : [],
  );
  return specifiers.find(
    ({ type, imported, local }) => type === 'ImportDefaultSpecifier' || (imported?.name === server.name && local.name === server.name),
  )?.local.name;
}

function callsIn({ program }: SourceFile, server: string | undefined, { handlerCall }: Generation): HandlerCall[] {
  if (server === undefined) return [];
  return nodesIn(program, 'CallExpression').flatMap((node) => handlerCall(node, server) ?? []);
}

/** Why a pair cannot be rewritten with createHandler. */
export function problemsOf({ server, handler, generation }: Pair): (Problem & { readonly file: string })[] {
  const { call } = handler;
  const inServer = [
    ...problemsOfImports(importsOf(server, generation), generation.names),
    ...problemsOfOptions(server.options, generation),
    ...problemsOfUses(server, handler),
  ].map((one) => ({ ...one, file: server.file }));
  const inHandler = [
    ...(handler.file === server.file ? [] : problemsOfImports(importsOf(handler, generation), generation.names)),
    ...problemsOfHandler(call),
    ...(call.isKnownFile(handler) ? [] : problem(call.node, call.otherFiles)),
  ].map((one) => ({ ...one, file: handler.file }));
  return [...inServer, ...inHandler];
}

/** The imports of a generation's packages. */
export function importsOf({ program }: SourceFile, { modules }: Generation): ModuleReference[] {
  return referencesIn(program).filter(({ module }) => modules.test(module));
}

/** Uses of the server other than its declaration, its export and the call that creates the handler. */
function problemsOfUses(server: Pair['server'], handler: Pair['handler']): Problem[] {
  const exports = server.program.body.filter(
    ({ type, declaration }: Node) =>
      (type === 'ExportNamedDeclaration' && !declaration) || (type === 'ExportDefaultDeclaration' && declaration.name === server.name),
  );
  const { call } = handler;
  const ofCall = { start: call.node.start, end: call.options?.start ?? call.node.end };
  const other = usesOf(server.program, server.name).find(
    (use) =>
      !isInside(use, exports) &&
      !(use.start >= server.declaration.start && use.start < server.options.start) &&
      !(server.file === handler.file && isInside(use, [ofCall])),
  );
  if (other === undefined) return [];
  return problem(
    other,
    'its server is also used outside of its handler. Data sources do not need it: return them from the option dataSources, which passes the cache to them',
  );
}
