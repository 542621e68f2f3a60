import type { GraphQLSchema } from 'graphql';

import { searchIn } from '../project/source-search.ts';
import type { Problem } from '../project/problem.ts';
import { findChanges } from './find-changes.ts';
import type { Change } from './find-changes.ts';
import type { EarlierSchema } from './earlier-schema.ts';
import { findKnownOperations } from './known-operations.ts';
import type { OperationSources } from './known-operations.ts';
import { findPlaces } from './places.ts';

/** A change with its place in the project. */
export type PlacedChange = Change & Problem;

/** The changes since an earlier schema. */
export interface Comparison {
  readonly changes: readonly PlacedChange[];
  /** The number of known operations. 0: all breaking changes count. */
  readonly operations: number;
}

/** The project's schema, its operations, and the files of its function. */
export interface CurrentSchema extends OperationSources {
  readonly schema: GraphQLSchema;
  readonly functionFiles: readonly string[];
}

/** Compares the project's schema with an earlier one. */
export async function compareSchemas(earlier: EarlierSchema, current: CurrentSchema): Promise<Comparison> {
  const operations = await findKnownOperations(current);
  const changes = findChanges(earlier.schema, current.schema, operations);
  if (changes.length === 0) return { changes: [], operations: operations.length };
  const search = searchIn({ files: current.functionFiles, directory: current.directory });
  const findPlace = findPlaces(current.options, search, earlier);
  return { changes: changes.map((change) => ({ ...change, ...findPlace(change.message) })), operations: operations.length };
}
