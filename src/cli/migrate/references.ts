/** A part of a text. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A name that is imported, and what it is called there and here. */
export interface ImportedName {
  readonly imported: string;
  readonly local: string;
  readonly isType: boolean;
}

/** One place of a file that names a module. */
export interface ModuleReference {
  readonly module: string;
  /** The module's name with its quotes. */
  readonly literal: Range;
  /** 'import' and 'export' are statements of ES modules, 'require' a destructured one of CommonJS; the names of 'other' are not known. */
  readonly kind: 'import' | 'export' | 'require' | 'other';
  readonly names: readonly ImportedName[];
  /** The whole statement, where it may be written anew. */
  readonly statement: Range | undefined;
  /** `import type`. */
  readonly isType: boolean;
  /** `const`, `let` or `var`. */
  readonly declaration: string;
}

/** A node of a tree in the form of ESTree, with positions. */
// Any: every parser has types of its own, and this reads what all of them have.
export type Node = any;

/** Calls back for every node of a tree, a parent before its children. */
export function walk(node: Node, visit: (node: Node) => void): void {
  if (typeof node !== 'object' || node === null) return;
  if (Array.isArray(node)) {
    for (const one of node) walk(one, visit);
    return;
  }
  if (typeof node.type !== 'string') return;
  visit(node);
  for (const [key, value] of Object.entries(node)) if (!skipped.has(key)) walk(value, visit);
}

const skipped = new Set(['loc', 'range', 'parent', 'tokens', 'comments', 'leadingComments', 'trailingComments', 'innerComments', 'extra']);

/** Calls that take a module's name: those of test runners replace it for the files under test. */
const loaders = /^(?:require|require\.resolve|(?:jest|vi)\.(?:mock|unmock|doMock|requireActual|importActual|requireMock))$/;

/** Everything in a tree of ESTree that names a module. */
export function referencesIn(program: Node): ModuleReference[] {
  const found: ModuleReference[] = [];
  const destructured = new Set<Node>();
  walk(program, (node) => {
    if (node.type === 'VariableDeclaration') {
      for (const { reference, call } of destructuredIn(node)) {
        found.push(reference);
        destructured.add(call);
      }
    } else if (!destructured.has(node)) found.push(...(readers[node.type]?.(node) ?? []));
  });
  return found;
}

/** Readers of the references to modules that a node of a type holds. */
const readers: Readonly<Record<string, (node: Node) => ModuleReference[]>> = {
  ImportDeclaration: (node) => [statementOf(node, 'import', node.importKind === 'type')],
  ExportNamedDeclaration: (node) => (node.source ? [statementOf(node, 'export', node.exportKind === 'type')] : []),
  ExportAllDeclaration: ({ source }) => literalOf(source),
  ImportExpression: ({ source }) => literalOf(source),
  CallExpression: (node) => (isLoader(node) ? literalOf(node.arguments[0]) : []),
  TSExternalModuleReference: ({ expression }) => literalOf(expression),
  TSImportType: ({ source, argument }) => literalOf(source ?? argument?.literal ?? argument),
};

function literalOf(literal: Node): ModuleReference[] {
  if (!isText(literal)) return [];
  return [{ module: literal.value, literal, kind: 'other', names: [], statement: undefined, isType: false, declaration: '' }];
}

function isText(node: Node): boolean {
  return typeof node?.value === 'string';
}

function isLoader({ callee, arguments: args }: Node): boolean {
  if (!isText(args?.[0])) return false;
  const name = callee.type === 'MemberExpression' && !callee.computed ? `${callee.object.name}.${callee.property.name}` : callee.name;
  // Babel's own tree has dynamic imports as calls.
  return loaders.test(String(name)) || callee.type === 'Import';
}

function statementOf(node: Node, kind: 'import' | 'export', isType: boolean): ModuleReference {
  const plain: Node[] = (node.specifiers ?? []).filter(({ type }: Node) => type === 'ImportSpecifier' || type === 'ExportSpecifier');
  const isPlain = plain.length > 0 && plain.length === node.specifiers.length;
  const names = plain.map((specifier: Node) => ({
    imported: nameOf(kind === 'import' ? specifier.imported : specifier.local),
    local: nameOf(kind === 'import' ? specifier.local : specifier.exported),
    isType: specifier.importKind === 'type' || specifier.exportKind === 'type',
  }));
  return {
    module: node.source.value,
    literal: node.source,
    kind,
    names,
    statement: isPlain ? { start: node.start, end: node.end } : undefined,
    isType,
    declaration: '',
  };
}

function nameOf(node: Node): string {
  return node.name ?? node.value;
}

/** `const { ApolloServer, gql: tag } = require('…')`: rewritten as a whole only when nothing else is declared with it. */
function destructuredIn(declaration: Node): { reference: ModuleReference; call: Node }[] {
  const { declarations } = declaration;
  return declarations.flatMap(({ id, init }: Node) => {
    if (id.type !== 'ObjectPattern' || init?.type !== 'CallExpression' || init.callee.name !== 'require' || !isText(init.arguments[0]))
      return [];
    const isPlain = id.properties.every(
      ({ type, computed, value }: Node) => type === 'Property' && !computed && value.type === 'Identifier',
    );
    if (!isPlain) return [];
    const names = id.properties.map(({ key, value }: Node) => ({ imported: nameOf(key), local: value.name, isType: false }));
    const [literal] = init.arguments;
    const statement = declarations.length === 1 ? { start: declaration.start, end: declaration.end } : undefined;
    return [
      {
        reference: { module: literal.value, literal, kind: 'require', names, statement, isType: false, declaration: declaration.kind },
        call: init,
      },
    ];
  });
}
