import type { Node } from './references.ts';

/** Makes the ESTree form of one kind of node. Undefined: the node is of no interest, its children may be. */
type Converter = (node: any, tree: Tree) => Node | undefined;

/** TypeScript itself, and the file whose nodes are converted. */
interface Tree {
  // Any: the types would be those of whichever version the project has.
  readonly ts: any;
  readonly file: any;
}

/**
 * The tree of TypeScript's own parser (up to version 6; 7 has none that JavaScript can call) in the form of ESTree, as far as
 * {@link referencesIn} reads it. Everything else keeps its children and loses its name.
 */
export function toESTree(ts: any, file: any): Node {
  return convert(file, { ts, file });
}

function convert(node: any, tree: Tree): Node {
  const converter = converters[tree.ts.SyntaxKind[node.kind]];
  return { ...at(node, tree), ...(converter?.(node, tree) ?? { type: 'Other', children: childrenOf(node, tree) }) };
}

function at(node: any, { file }: Tree): object {
  return { start: node.getStart(file), end: node.getEnd() };
}

function childrenOf(node: any, tree: Tree): Node[] {
  const children: Node[] = [];
  tree.ts.forEachChild(node, (child: any) => void children.push(convert(child, tree)));
  return children;
}

const literal = (node: any, tree: Tree): Node => ({ ...at(node, tree), type: 'Literal', value: node.text });
const identifier = (node: any, tree: Tree): Node => ({ ...at(node, tree), type: 'Identifier', name: node.text });

/** By the name of the kind; of a name with several, the one that TypeScript gives it last. */
const converters: Readonly<Record<string, Converter>> = {
  ImportDeclaration: importDeclaration,
  ExportDeclaration: exportDeclaration,
  VariableStatement: variableStatement,
  FirstStatement: variableStatement,
  CallExpression: (node, tree) => ({
    type: 'CallExpression',
    callee: tree.ts.SyntaxKind[node.expression.kind] === 'ImportKeyword' ? { type: 'Import' } : convert(node.expression, tree),
    arguments: node.arguments.map((argument: any) => convert(argument, tree)),
  }),
  PropertyAccessExpression: (node, tree) => ({
    type: 'MemberExpression',
    computed: false,
    object: convert(node.expression, tree),
    property: identifier(node.name, tree),
  }),
  ExternalModuleReference: (node, tree) => ({ type: 'TSExternalModuleReference', expression: literal(node.expression, tree) }),
  ImportType: (node, tree) => ({
    type: 'TSImportType',
    source: node.argument?.literal ? literal(node.argument.literal, tree) : undefined,
    children: childrenOf(node, tree),
  }),
  Identifier: identifier,
  StringLiteral: literal,
  NoSubstitutionTemplateLiteral: literal,
  FirstTemplateToken: literal,
};

function importDeclaration(node: any, tree: Tree): Node {
  const clause = node.importClause;
  const bindings = clause?.namedBindings;
  const named = (bindings?.elements ?? []).map((element: any) => ({
    type: 'ImportSpecifier',
    importKind: element.isTypeOnly ? 'type' : 'value',
    local: identifier(element.name, tree),
    imported: identifier(element.propertyName ?? element.name, tree),
  }));
  const others = [
    ...(clause?.name ? [{ type: 'ImportDefaultSpecifier' }] : []),
    ...(bindings?.name ? [{ type: 'ImportNamespaceSpecifier' }] : []),
  ];
  const source = literal(node.moduleSpecifier, tree);
  return { type: 'ImportDeclaration', importKind: clause?.isTypeOnly ? 'type' : 'value', source, specifiers: [...others, ...named] };
}

function exportDeclaration(node: any, tree: Tree): Node | undefined {
  if (!node.moduleSpecifier) return undefined;
  const source = literal(node.moduleSpecifier, tree);
  if (!node.exportClause?.elements) return { type: 'ExportAllDeclaration', source };
  const specifiers = node.exportClause.elements.map((element: any) => ({
    type: 'ExportSpecifier',
    exportKind: element.isTypeOnly ? 'type' : 'value',
    local: identifier(element.propertyName ?? element.name, tree),
    exported: identifier(element.name, tree),
  }));
  return { type: 'ExportNamedDeclaration', exportKind: node.isTypeOnly ? 'type' : 'value', source, specifiers };
}

function variableStatement(node: any, tree: Tree): Node {
  const { declarations, flags } = node.declarationList;
  const { Const, Let } = tree.ts.NodeFlags;
  return {
    type: 'VariableDeclaration',
    kind: flags & Const ? 'const' : flags & Let ? 'let' : 'var',
    declarations: declarations.map((one: any) => ({
      type: 'VariableDeclarator',
      id: pattern(one.name, tree),
      init: one.initializer ? convert(one.initializer, tree) : null,
    })),
  };
}

function pattern(node: any, tree: Tree): Node {
  const { SyntaxKind } = tree.ts;
  if (node.kind !== SyntaxKind.ObjectBindingPattern) return { type: 'Other' };
  const properties = node.elements.map((element: any) => {
    const isPlain = element.name.kind === SyntaxKind.Identifier && !element.initializer && !element.dotDotDotToken;
    return {
      type: isPlain ? 'Property' : 'Other',
      computed: false,
      key: identifier(element.propertyName ?? element.name, tree),
      value: { type: 'Identifier', name: element.name.text },
    };
  });
  return { type: 'ObjectPattern', properties };
}
