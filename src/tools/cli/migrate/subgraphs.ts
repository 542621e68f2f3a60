import { packageOf } from '../project/installed-packages.ts';
import { isOfVersion3 } from './modules.ts';
import { nodesIn, referencesIn } from './references.ts';
import type { ModuleReference, Node } from './references.ts';
import { applyEdits, lineOf } from './rewrite.ts';
import type { Edit, Finding, Rewritten } from './rewrite.ts';
import type { SourceFile } from './source-files.ts';

const builders = new Set(['buildSubgraphSchema', 'buildFederatedSchema']);

/** Writes `subgraph({ typeDefs, resolvers })` in place of `{ schema: buildSubgraphSchema(…) }`, of `@apollo/subgraph` and `@apollo/federation`. */
export function moveSubgraphs({ text, program }: SourceFile): Rewritten | undefined {
  const all = referencesIn(program);
  const references = all.filter(({ module }) => module === '@apollo/subgraph' || module === '@apollo/federation');
  const locals = new Set(
    references.flatMap(({ names }) => names.filter(({ imported }) => builders.has(imported)).map(({ local }) => local)),
  );
  if (locals.size === 0) return undefined;
  const edits: Edit[] = [];
  const moved = new Set<Node>();
  // Other servers, such as @apollo/server, cannot take the options that subgraph() returns.
  const isTaken = all.some(({ module }) => isOfVersion3(module) || packageOf(module) === 'graphql-functions');
  for (const options of isTaken ? nodesIn(program, 'ObjectExpression') : []) {
    const schema = options.properties.find(({ key, value }: Node) => key?.name === 'schema' && isBuilder(value, locals));
    const written = schema && modulesText(text, schema.value.arguments);
    if (written === undefined) continue;
    edits.push(
      { start: options.start, end: options.start, text: 'subgraph(' },
      { start: schema.start, end: schema.end, text: written },
      { start: options.end, end: options.end, text: ')' },
    );
    moved.add(schema.value);
  }
  const left = nodesIn(program, 'CallExpression').filter((call) => isBuilder(call, locals) && !moved.has(call));
  const findings: Finding[] = left.map(({ start }) => ({
    line: lineOf(text, start),
    message: 'Write subgraph({ typeDefs, resolvers }) of graphql-functions/subgraph in place of this schema: see docs/federation.md.',
  }));
  if (moved.size === 0) return { text, findings, modules: [] };
  edits.push(...importEdits(text, references, left.length > 0));
  return { text: applyEdits(text, edits), findings, modules: ['graphql-functions/subgraph'] };
}

function isBuilder(node: Node, locals: ReadonlySet<string>): boolean {
  return node?.type === 'CallExpression' && locals.has(node.callee.name);
}

/** `typeDefs` and `resolvers` of one module, or of a list. Undefined if they are not written out. */
function modulesText(text: string, [given, ...others]: readonly Node[]): string | undefined {
  if (given === undefined || others.length > 0) return undefined;
  const modules: readonly Node[] = given.type === 'ArrayExpression' ? given.elements : [given];
  const isWritten = modules.every(
    (one) =>
      one?.type === 'ObjectExpression' && one.properties.every(({ key }: Node) => key?.name === 'typeDefs' || key?.name === 'resolvers'),
  );
  if (!isWritten || modules.length === 0) return undefined;
  const parts = ['typeDefs', 'resolvers'].flatMap((name) => {
    const found = modules.flatMap(({ properties }) => properties.filter(({ key }: Node) => key.name === name));
    if (found.length === 0) return [];
    const [only] = found;
    if (found.length === 1) return [text.slice(only.start, only.end)];
    return [`${name}: [${found.map(({ value }) => text.slice(value.start, value.end)).join(', ')}]`];
  });
  return parts.join(', ');
}

/** Imports `subgraph`; a builder that is still called stays imported. */
function importEdits(text: string, references: readonly ModuleReference[], keeps: boolean): Edit[] {
  return references.flatMap(({ statement, literal, kind, names, declaration }, position) => {
    if (statement === undefined) return [];
    const quote = text[literal.start]!;
    const end = text[statement.end - 1] === ';' ? ';' : '';
    const from = `${quote}graphql-functions/subgraph${quote}`;
    const own = kind === 'require' ? `${declaration} { subgraph } = require(${from})${end}` : `import { subgraph } from ${from}${end}`;
    const stays = keeps || names.some(({ imported }) => !builders.has(imported));
    const earlier = position === 0 ? own : '';
    return [
      { ...statement, text: [earlier, stays ? text.slice(statement.start, statement.end) : ''].filter((line) => line !== '').join('\n') },
    ];
  });
}
