import type { Project, SourceFile } from './project.ts';
import type { Node } from './references.ts';
import { onlyDeclarator, propertyNamed } from './written-code.ts';

/** A value and its file. */
interface Value {
  readonly node: Node;
  readonly source: SourceFile;
}

/** The argument of the call that creates a schema. */
export interface ResolvedValue extends Value {
  /** True when the call is inside the options. */
  readonly isHere: boolean;
}

/** The argument of `createSchema({ … })`: in the options of the server, or where the schema is declared. */
export function schemaOf(source: SourceFile, options: Node, project: Project): ResolvedValue | undefined {
  const value = propertyNamed(options, 'schema')?.value;
  if (value === undefined) return undefined;
  const here = schemaArgument(value);
  if (here !== undefined) return { node: here, source, isHere: true };
  const found = resolveValue({ node: value, source }, project);
  const there = found && schemaArgument(found.node);
  return there && { node: there, source: found.source, isHere: false };
}

function schemaArgument({ type, callee, arguments: args }: Node): Node | undefined {
  if (type !== 'CallExpression' || !/^(?:createSchema|makeExecutableSchema)$/.test(callee.name)) return undefined;
  return args[0]?.type === 'ObjectExpression' ? args[0] : undefined;
}

/** The value of a name: a constant of the file, or one that another file of the project exports. */
function resolveValue({ node, source }: Value, project: Project): Value | undefined {
  if (node.type !== 'Identifier') return { node, source };
  for (const statement of source.program.body) {
    const declared = onlyDeclarator(statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement);
    if (declared?.id.name === node.name && declared.init) return resolveValue({ node: declared.init, source }, project);
    const specifier =
      statement.type === 'ImportDeclaration' ? statement.specifiers.find(({ local }: Node) => local.name === node.name) : undefined;
    if (specifier === undefined) continue;
    const file = project.resolve(source.file, statement.source.value);
    const other = file === undefined ? undefined : project.read(file);
    return other && exportedValue(other, specifier.imported?.name ?? 'default', project);
  }
  return undefined;
}

function exportedValue(source: SourceFile, name: string, project: Project): Value | undefined {
  for (const statement of source.program.body) {
    if (name === 'default' && statement.type === 'ExportDefaultDeclaration')
      return resolveValue({ node: statement.declaration, source }, project);
    if (statement.type !== 'ExportNamedDeclaration') continue;
    const declared = onlyDeclarator(statement.declaration);
    if (declared?.id.name === name) return resolveValue({ node: declared.init, source }, project);
    const specifier = statement.source ? undefined : statement.specifiers.find(({ exported }: Node) => exported.name === name);
    if (specifier !== undefined) return resolveValue({ node: specifier.local, source }, project);
  }
  return undefined;
}

/** All functions of a resolver map, across files. Undefined when some cannot be found. */
export function resolverFunctions({ node, source }: Value, project: Project): Value[] | undefined {
  const found = resolveValue({ node, source }, project);
  if (found === undefined) return undefined;
  const { type } = found.node;
  if (/Function/.test(type)) return [found];
  if (type === 'Literal') return [];
  const members: Node[] | undefined =
    type === 'ObjectExpression'
      ? found.node.properties.map((property: Node) => (property.type === 'SpreadElement' ? property.argument : property.value))
      : type === 'ArrayExpression'
        ? found.node.elements
        : undefined;
  const inside = members?.map((member) => resolverFunctions({ node: member, source: found.source }, project));
  return inside === undefined || inside.includes(undefined) ? undefined : (inside as Value[][]).flat();
}
