import { importEdit, left, problemsOfImports } from './modern.ts';
import type { Generation, Problem } from './modern.ts';
import { referencesIn, walk } from './references.ts';
import type { Node } from './references.ts';
import { applyEdits, lineOf, removal } from './rewrite.ts';
import type { Edit, Rewritten } from './rewrite.ts';
import { contextText, problemsOfContext, problemsOfResolvers } from './yoga-context.ts';
import { yogaHandlerIn } from './yoga-handler.ts';
import type { YogaHandler } from './yoga-handler.ts';
import { problemsOfOptions, schemaOf, writtenOptions } from './yoga-options.ts';

const generation: Pick<Generation, 'names'> = { names: ['createYoga', 'createSchema'] };

/** `const yoga = createYoga({ … })`, alone in its declaration. */
interface FoundServer {
  readonly name: string;
  readonly declaration: Node;
  readonly call: Node;
}

/**
 * Writes a handler of GraphQL Yoga with `createHandler`: as a web handler, or as Yoga's recipe for Lambda. A file in which
 * anything is in the way stays as it is, and the findings say what.
 */
export function modernizeYoga(text: string, program: Node): Rewritten | undefined {
  const used = referencesIn(program).filter(({ module }) => module === 'graphql-yoga');
  const isServerFile = used.some(({ names }) =>
    names.some(({ imported }) => imported === 'createYoga' || imported.startsWith('GraphQLServer')),
  );
  if (!isServerFile && used.every(({ statement }) => statement !== undefined)) return undefined;
  const problems: Problem[] = problemsOfImports(used, generation);
  const server = serverIn(program);
  if (server === undefined)
    return left(
      text,
      problems.length > 0 ? problems : [{ node: used[0]!.literal, why: 'its server is not one createYoga({ … }) with a name' }],
    );
  const handler = usesOf(program, server.name) === 2 ? yogaHandlerIn(program, server.name) : undefined;
  if (handler === undefined)
    return left(text, [...problems, { node: server.declaration, why: 'its handler is made in a way that createHandler does not know' }]);
  const [options] = server.call.arguments;
  problems.push(...handler.problems, ...problemsOfOptions(options));
  if (handler.node.start < server.declaration.start) problems.push({ node: handler.node, why: 'its handler stands above its server' });
  problems.push(...problemsOfContext(options, handler), ...problemsOfResolvers(program, schemaOf(options), handler));
  if (problems.length > 0) return left(text, problems);

  const edits = [
    ...used.map((reference, at) => importEdit(text, reference, at === 0 ? ['createHandler'] : undefined)),
    ...handlerEdits(text, server, handler),
    ...unusedTypes(text, program, [server.declaration, handler.node]),
  ];
  const finding = {
    line: lineOf(text, server.declaration.start),
    message:
      'Other origins get no credentials now unless cors names them, the pages for browsers are shown in development alone, and every path is answered: see docs/migration.md, "From GraphQL Yoga".',
  };
  return { text: applyEdits(text, edits), findings: [finding], modules: ['graphql-functions'] };
}

function serverIn(program: Node): FoundServer | undefined {
  const found: FoundServer[] = [];
  walk(program, (node) => {
    const [declarator, second] = node.type === 'VariableDeclaration' ? node.declarations : [];
    const call = declarator?.init;
    if (second === undefined && call?.callee?.name === 'createYoga' && declarator.id.type === 'Identifier')
      found.push({ name: declarator.id.name, declaration: node, call });
  });
  const [server] = found;
  const isOne = found.length === 1 && server!.call.arguments[0]?.type === 'ObjectExpression' && program.body.includes(server!.declaration);
  return isOne ? server : undefined;
}

function usesOf(program: Node, name: string): number {
  let uses = 0;
  walk(program, (node) => void (node.type === 'Identifier' && node.name === name && uses++));
  return uses;
}

function handlerEdits(text: string, { name, declaration, call }: FoundServer, handler: YogaHandler): Edit[] {
  const [options] = call.arguments;
  const { node, isFetch } = handler;
  const created = `createHandler(${writtenOptions(text, options, (value) => contextText(text, value, handler))})`;
  // Whatever is handed on with a request is the platform's: the server itself takes it from there.
  if (isFetch) {
    const renamed = handler.kind === 'function' && node.callee.name !== name ? [{ ...rangeOf(node.callee), text: name }] : [];
    return [{ ...rangeOf(call), text: created }, ...renamed];
  }
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

/** Types of events that only the parts that go were annotated with. */
function unusedTypes(text: string, program: Node, gone: readonly Node[]): Edit[] {
  const statement = program.body.find(({ type, source }: Node) => type === 'ImportDeclaration' && source.value === 'aws-lambda');
  if (statement === undefined) return [];
  const locals = new Set(statement.specifiers.map(({ local }: Node) => local.name));
  let isUsed = false;
  walk(program, (node) => {
    const isInside = [statement, ...gone].some(({ start, end }) => node.start >= start && node.end <= end);
    if (node.type === 'Identifier' && locals.has(node.name) && !isInside) isUsed = true;
  });
  return isUsed ? [] : [removal(text, statement)];
}
