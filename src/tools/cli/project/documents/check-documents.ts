import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';

import {
  isTypeSystemDefinitionNode,
  isTypeSystemExtensionNode,
  NoUnusedFragmentsRule,
  parse,
  Source,
  specifiedRules,
  validate,
  visit,
} from 'graphql';
import type { DefinitionNode, DocumentNode, FragmentDefinitionNode, GraphQLError, GraphQLSchema } from 'graphql';

import { DevError } from '../problem.ts';
import type { Problem } from '../../../checks/for-cli.ts';

/** A file of operations and fragments. */
export interface DocumentFile {
  readonly path: string;
  readonly text: string;
  /** The problem that makes the text differ from the text that a client sends. */
  readonly problem?: Problem;
}

/** Reads the files that patterns match, sorted by path. Throws a DevError for a pattern without a match. */
export async function readDocuments(patterns: readonly string[], directory: string): Promise<DocumentFile[]> {
  const paths = [...new Set(patterns.flatMap((pattern) => filesNamed(pattern, directory)))].toSorted();
  return Promise.all(paths.map(async (path) => ({ path, text: await readFile(resolve(directory, path), 'utf8') })));
}

/** The files of a pattern. Throws a DevError when there are none, which would otherwise look like success. */
function filesNamed(pattern: string, directory: string): string[] {
  const paths = globSync(pattern, { cwd: directory });
  if (paths.length > 0) return paths;
  throw new DevError(`No files match ${pattern}. Quote patterns: 'src/**/*.graphql'.`);
}

/** Validates every file against the schema. Operations may use the fragments of all files, as with code generators. */
export function checkDocuments(schema: GraphQLSchema, files: readonly DocumentFile[]): Problem[] {
  const documents: DocumentNode[] = [];
  const problems: Problem[] = [];
  for (const { path, text, problem } of files) {
    if (problem !== undefined) {
      problems.push(problem);
      continue;
    }
    try {
      const document = parse(new Source(text, path));
      // A pattern for all files of a project also matches schema files.
      if (!document.definitions.every(isOfSchema)) documents.push(document);
    } catch (error) {
      problems.push(...toProblems(path, [error as GraphQLError]));
    }
  }
  const fragments = collectFragments(documents);
  // A file may have fragments that only other files use.
  const rules = specifiedRules.filter((rule) => rule !== NoUnusedFragmentsRule);
  const seen = new Set<string>();
  for (const document of documents) {
    const path = document.loc?.source.name ?? '';
    for (const problem of toProblems(path, validate(schema, withFragments(document, fragments), rules))) {
      // An error in a fragment would otherwise be reported for every document that uses it.
      const key = JSON.stringify(problem);
      if (!seen.has(key)) problems.push(problem);
      seen.add(key);
    }
  }
  const order = new Map(files.map(({ path }, index) => [path, index]));
  return problems.toSorted((a, b) => (order.get(a.file ?? '') ?? 0) - (order.get(b.file ?? '') ?? 0));
}

function isOfSchema(definition: DefinitionNode): boolean {
  return isTypeSystemDefinitionNode(definition) || isTypeSystemExtensionNode(definition);
}

/** The fragments of all documents, by name. */
export function collectFragments(documents: readonly DocumentNode[]): Map<string, FragmentDefinitionNode> {
  return new Map(documents.flatMap(fragmentsOf).map((fragment) => [fragment.name.value, fragment]));
}

function fragmentsOf({ definitions }: DocumentNode): FragmentDefinitionNode[] {
  return definitions.filter((definition) => definition.kind === 'FragmentDefinition');
}

/** Adds the fragments of other files that the document uses, directly or indirectly. */
export function withFragments(document: DocumentNode, fragments: ReadonlyMap<string, FragmentDefinitionNode>): DocumentNode {
  const known = new Set(fragmentsOf(document).map(({ name }) => name.value));
  const added: FragmentDefinitionNode[] = [];
  const addUsedIn = (node: DocumentNode | FragmentDefinitionNode): void => {
    visit(node, {
      FragmentSpread({ name }) {
        const fragment = fragments.get(name.value);
        if (fragment === undefined || known.has(name.value)) return;
        known.add(name.value);
        added.push(fragment);
        addUsedIn(fragment);
      },
    });
  };
  addUsedIn(document);
  return { ...document, definitions: [...document.definitions, ...added] };
}

/** Converts errors of graphql-js to problems of a file. */
function toProblems(path: string, errors: readonly GraphQLError[]): Problem[] {
  return errors.map((error) => {
    const node = error.nodes?.[0]?.loc;
    const [location] = error.locations ?? [];
    return { file: node?.source.name ?? path, line: location?.line ?? 1, column: location?.column ?? 1, message: error.message };
  });
}
