/** A range of a text. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** An imported name, with its exported and local names. */
export interface ImportedName {
  readonly imported: string;
  readonly local: string;
  readonly isType: boolean;
}

/** A reference to a module in a file. */
export interface ModuleReference {
  readonly module: string;
  /** The module's name with its quotes. */
  readonly literal: Range;
  /** 'import' and 'export' are statements, 'require' is a destructured require(); the names of 'other' are unknown. */
  readonly kind: 'import' | 'export' | 'require' | 'other';
  readonly names: readonly ImportedName[];
  /** The whole statement, if it can be rewritten. */
  readonly statement: Range | undefined;
  /** `import type`. */
  readonly isType: boolean;
  /** `const`, `let` or `var`. */
  readonly declaration: string;
}

/** An ESTree node with positions. */
// Any: the parsers have different types; only common members are read.
export type Node = any;

/** The nodes of a tree, a parent before its children; only those of one type if it is named. */
export function nodesIn(root: Node, type?: string): Node[] {
  const found: Node[] = [];
  const collect = (node: Node): void => {
    if (typeof node !== 'object' || node === null) return;
    if (Array.isArray(node)) {
      for (const one of node) collect(one);
      return;
    }
    if (typeof node.type !== 'string') return;
    if (type === undefined || node.type === type) found.push(node);
    for (const [key, value] of Object.entries(node)) if (!skipped.has(key)) collect(value);
  };
  collect(root);
  return found;
}

const skipped = new Set(['loc', 'range', 'parent', 'tokens', 'comments', 'leadingComments', 'trailingComments', 'innerComments', 'extra']);

/** Calls with a module's name, including the mocks of test runners. */
const loaders = /^(?:require|require\.resolve|(?:jest|vi)\.(?:mock|unmock|doMock|requireActual|importActual|requireMock))$/;

/** All references to modules in an ESTree. */
export function referencesIn(program: Node): ModuleReference[] {
  const found: ModuleReference[] = [];
  const destructured = new Set<Node>();
  for (const node of nodesIn(program)) {
    if (node.type === 'VariableDeclaration') {
      for (const { reference, call } of destructuredIn(node)) {
        found.push(reference);
        destructured.add(call);
      }
    } else if (!destructured.has(node)) found.push(...(readers[node.type]?.(node) ?? []));
  }
  return found;
}

/** Functions that read the references to modules, by node type. */
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
  // Babel's AST represents dynamic imports as calls.
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
