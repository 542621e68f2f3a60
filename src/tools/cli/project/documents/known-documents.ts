import { isScalarType, isSpecifiedScalarType, getNamedType, parse, print, TypeInfo, validate, visit, visitWithTypeInfo } from 'graphql';
import type { ASTNode, DocumentNode, GraphQLSchema, OperationDefinitionNode, SelectionSetNode } from 'graphql';

import { entriesOf } from '../../../../server/for-tools.ts';
import type { TrustedDocumentManifest } from '../../../../server/index.ts';
import { collectFragments, withFragments } from './check-documents.ts';
import type { DocumentFile } from './check-documents.ts';

/**
 * The exact texts that a server need not validate: those of manifests, and those that clients print from files of operations.
 * An unused text makes the build larger; a missing text costs one validation.
 */
export function findKnownDocuments(schema: GraphQLSchema, files: readonly DocumentFile[]): string[] {
  const texts = [...manifestTexts(files), ...fileTexts(files.filter(({ path }) => !isManifest(path)))];
  return [...new Set(texts)].filter((text) => isValidAnywhere(schema, parse(text)));
}

/** True when a file is a manifest of persisted operations. */
export function isManifest(path: string): boolean {
  return path.endsWith('.json');
}

/** The documents of a manifest, each with its line. Throws a TypeError when the text is not a manifest. */
export function documentsInManifest({ path, text }: DocumentFile): (DocumentFile & { readonly line: number })[] {
  return entriesOf(JSON.parse(text) as TrustedDocumentManifest).map(([, document]) => {
    const at = text.indexOf(JSON.stringify(document.text));
    return { path, text: document.text, line: at < 0 ? 1 : text.slice(0, at).split('\n').length };
  });
}

function manifestTexts(files: readonly DocumentFile[]): string[] {
  return files.filter(({ path }) => isManifest(path)).flatMap((file) => documentsInManifest(file).map(({ text }) => text));
}

/** The text of the file, and each operation as graphql-js prints it, both without and with the `__typename` of Apollo Client. */
function fileTexts(files: readonly DocumentFile[]): string[] {
  const parsed = files.map(({ text }) => ({ text, document: parse(text, { noLocation: true }) }));
  const fragments = collectFragments(parsed.map(({ document }) => document));
  return parsed.flatMap(({ text, document }) => {
    const operations = document.definitions.filter((definition) => definition.kind === 'OperationDefinition');
    const alone = operations.map((operation) => withFragments(onlyOperation(document, operation), fragments));
    return [text, ...alone.flatMap((one) => [print(one), print(withTypenames(one))])];
  });
}

function onlyOperation(document: DocumentNode, operation: OperationDefinitionNode): DocumentNode {
  return { ...document, definitions: [operation] };
}

/** Adds `__typename` to the end of every nested selection set, as Apollo Client does. */
function withTypenames(document: DocumentNode): DocumentNode {
  return visit(document, {
    SelectionSet: {
      leave: (node, _key, parent): SelectionSetNode | undefined =>
        isOperation(parent) || hasTypename(node) ? undefined : addTypename(node),
    },
  });
}

function isOperation(parent: ASTNode | readonly ASTNode[] | undefined): boolean {
  return parent !== undefined && 'kind' in parent && parent.kind === 'OperationDefinition';
}

function hasTypename({ selections }: SelectionSetNode): boolean {
  return selections.some((selection) => selection.kind === 'Field' && selection.name.value.startsWith('__'));
}

function addTypename(node: SelectionSetNode): SelectionSetNode {
  const typename = { kind: 'Field', name: { kind: 'Name', value: '__typename' } } as SelectionSetNode['selections'][number];
  return { ...node, selections: [...node.selections, typename] };
}

/**
 * True when a document is valid under all settings of the server. A server may reject introspection, and the code of a custom
 * scalar decides which literals it accepts.
 */
function isValidAnywhere(schema: GraphQLSchema, document: DocumentNode): boolean {
  if (validate(schema, document).length > 0) return false;
  const types = new TypeInfo(schema);
  let depends = false;
  visit(
    document,
    visitWithTypeInfo(types, {
      enter(node) {
        if (node.kind === 'Field') depends ||= node.name.value.startsWith('__') && node.name.value !== '__typename';
        else if (node.kind.endsWith('Value')) depends ||= isCustomScalar(types);
      },
    }),
  );
  return !depends;
}

function isCustomScalar(types: TypeInfo): boolean {
  const type = getNamedType(types.getInputType());
  return isScalarType(type) && !isSpecifiedScalarType(type);
}
