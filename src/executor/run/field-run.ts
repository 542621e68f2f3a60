import type { GraphQLResolveInfo } from 'graphql';

import { isGraphQL17 } from '../graphql-version.ts';
import { addPath } from '../plan/path.ts';
import type { FieldRun, PlannedField, Shape } from '../plan/planned-field.ts';
import type { Path } from '../plan/path.ts';
import type { Run } from './run.ts';

/** Starts a field of the object at this path; undefined for the root. */
export function startField(run: Run, field: PlannedField, parent: Path | undefined): FieldRun {
  return new StartedField(run, field, parent);
}

/** A started field, which is also the position of its value. */
class StartedField implements FieldRun {
  readonly run: Run;
  readonly field: PlannedField;
  readonly #parent: Path | undefined;
  #path: Path | undefined = undefined;
  #info: GraphQLResolveInfo | undefined = undefined;

  constructor(run: Run, field: PlannedField, parent: Path | undefined) {
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
    return (this.#path ??= addPath(this.#parent, this.field.responseName, this.field.parentType.name));
  }

  get info(): GraphQLResolveInfo {
    return (this.#info ??= createInfo(this));
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
  const info: object = { fieldName, fieldNodes, returnType, parentType, path, schema, fragments, rootValue, operation, variableValues };
  if (isGraphQL17) {
    // Members are assigned one by one, because a spread would take as long as the rest of a small field.
    const helpers = info as { getAbortSignal?: unknown; getAsyncHelpers?: unknown };
    helpers.getAbortSignal = getAbortSignal;
    helpers.getAsyncHelpers = getAsyncHelpers;
  }
  run.observer?.info?.(info as GraphQLResolveInfo);
  return info as GraphQLResolveInfo;
}
