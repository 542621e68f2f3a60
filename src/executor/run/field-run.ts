import type { GraphQLField, GraphQLObjectType, GraphQLResolveInfo } from 'graphql';

import { assertSynchronous } from '../../shared/index.ts';
import { isGraphQL17 } from '../graphql-version.ts';
import { argumentValues } from '../plan/arguments.ts';
import type { ArgumentValues } from '../plan/arguments.ts';
import { addPath } from '../plan/path.ts';
import type { FieldRun, Parent, PlannedField, Shape } from '../plan/planned-field.ts';
import type { Path } from '../plan/path.ts';
import type { ObservedCall } from './observer.ts';
import type { Run } from './run.ts';

/** Starts a field of an object; undefined for the root. */
export function startField(run: Run, field: PlannedField, parent: Parent | undefined): FieldRun {
  return new StartedField(run, field, parent);
}

/** A started field, which is also the position of its value. */
class StartedField implements FieldRun {
  readonly run: Run;
  readonly field: PlannedField;
  readonly #parent: Parent | undefined;
  #path: Path | undefined = undefined;
  #info: GraphQLResolveInfo | undefined = undefined;

  constructor(run: Run, field: PlannedField, parent: Parent | undefined) {
    this.run = run;
    this.field = field;
    this.#parent = parent;
  }

  get fieldRun(): FieldRun {
    return this;
  }

  get shape(): Shape {
    return this.field.shape;
  }

  get path(): Path {
    return (this.#path ??= addPath(this.#parent?.path, this.field.responseName, this.field.parentType.name));
  }

  get info(): GraphQLResolveInfo {
    return (this.#info ??= createInfo(this));
  }
}

/** A started field as an observer sees it. */
export class ObservedField extends StartedField implements ObservedCall {
  readonly source: unknown;
  readonly parents: number | undefined;
  #args: ArgumentValues | undefined = undefined;

  /** `parents`: the number of parents of a batched resolver, whose `source` is the list of them. */
  constructor(run: Run, field: PlannedField, parent: Parent | undefined, source: unknown, parents?: number) {
    super(run, field, parent);
    this.source = source;
    this.parents = parents;
  }

  get definition(): GraphQLField<unknown, unknown> {
    return this.field.definition;
  }

  get parentType(): GraphQLObjectType {
    return this.field.parentType;
  }

  /** The arguments. Throws if one is invalid. */
  get args(): ArgumentValues {
    return (this.#args ??= argumentValues(this.field, this.run));
  }
}

/** The `info` of a resolver, as graphql-js creates it. Nothing in it is shared with another execution. */
function createInfo({ run, field, path }: FieldRun): GraphQLResolveInfo {
  const { definition, parentType } = field;
  const { schema, rootValue, operation } = run.settings;
  const { fragments, variableValues, getAbortSignal, getAsyncHelpers } = run.info.members;
  const fieldName = definition.name;
  const fieldNodes = run.info.nodesOf(field);
  const returnType = definition.type;
  // Two literals, because a spread would take as long as the rest of a small field.
  const info: object = isGraphQL17
    ? {
        fieldName,
        fieldNodes,
        returnType,
        parentType,
        path,
        schema,
        fragments,
        rootValue,
        operation,
        variableValues,
        getAbortSignal,
        getAsyncHelpers,
      }
    : { fieldName, fieldNodes, returnType, parentType, path, schema, fragments, rootValue, operation, variableValues };
  if (run.observer?.info !== undefined) assertSynchronous(run.observer.info(info as GraphQLResolveInfo), 'info of an observer');
  return info as GraphQLResolveInfo;
}
