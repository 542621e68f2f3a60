import type { SchemaIndex } from '../sdl/schema-index.ts';
import type { TypeDefs } from '../sdl/type-defs.ts';

/** A schema and documents that `graphql-functions build` has prepared: what `readBuild` of `graphql-functions/build` makes. */
export interface SchemaBuild {
  /** What was read from the file. */
  readonly artefact: object;
  /** Says what to make the schema of. Throws an Error when that would be the wrong one. */
  open(use: SchemaBuildUse): OpenedBuild;
}

/** Who opens a build, and beside what. */
export interface SchemaBuildUse {
  /** The option `typeDefs`, when it was given too. */
  readonly typeDefs: TypeDefs | undefined;
  /** Throw when the build does not fit; else report it and do without. */
  readonly strict: boolean;
  readonly report: (problem: string) => void;
}

/** What there is to make a schema of. */
export interface OpenedBuild {
  readonly typeDefs: TypeDefs | undefined;
  /** Where everything stands in the build's own text. Undefined: to be found in `typeDefs`. */
  readonly index?: SchemaIndex;
  /** Texts of documents that are valid for this schema. */
  readonly knownDocuments?: ReadonlySet<string>;
}
