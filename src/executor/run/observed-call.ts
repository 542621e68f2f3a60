import type { GraphQLField, GraphQLObjectType, GraphQLResolveInfo } from 'graphql';

import { startField } from './field-run.ts';
import type { ObservedCall } from './observer.ts';
import { argumentValues } from '../plan/arguments.ts';
import type { ArgumentValues } from '../plan/arguments.ts';
import type { Path } from '../plan/path.ts';
import type { FieldRun, PlannedField } from '../plan/planned-field.ts';
import type { Run } from './run.ts';

/** Returns the running field of a call. It is not a method, because observers must not reach a plan, which other executions use. */
let startedOf: (call: FieldCall) => FieldRun;
export { startedOf };

/** A call of a resolver, as observers see it. Everything is created when it is first needed. */
export class FieldCall implements ObservedCall {
  readonly source: unknown;
  readonly parents: number | undefined;
  readonly #run: Run;
  readonly #field: PlannedField;
  readonly #parent: Path | undefined;
  #args: ArgumentValues | undefined = undefined;
  #started: FieldRun | undefined = undefined;

  /** `path` is that of the parent. */
  constructor(run: Run, field: PlannedField, { source, path, parents }: Parent) {
    this.source = source;
    this.parents = parents;
    this.#run = run;
    this.#field = field;
    this.#parent = path;
  }

  static {
    startedOf = (call: FieldCall): FieldRun => (call.#started ??= startField(call.#run, call.#field, call.#parent));
  }

  get definition(): GraphQLField<unknown, unknown> {
    return this.#field.definition;
  }

  get parentType(): GraphQLObjectType {
    return this.#field.parentType;
  }

  get path(): Path {
    return startedOf(this).path;
  }

  /** The arguments. Throws if one is invalid. */
  get args(): ArgumentValues {
    return (this.#args ??= argumentValues(this.#field, this.#run));
  }

  get info(): GraphQLResolveInfo {
    return startedOf(this).info;
  }
}

interface Parent {
  readonly source: unknown;
  readonly path: Path | undefined;
  readonly parents?: number;
}
