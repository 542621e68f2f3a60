import type { GraphQLResolveInfo } from 'graphql';

import { isGraphQL17 } from './graphql-js/version.ts';
import { addPath } from './plan/planned-field.ts';
import type { FieldRun, Path, PlannedField, Shape } from './plan/planned-field.ts';
import type { Run } from './run.ts';

/** Begins to run a field of the object at this path; undefined for the root. */
export function startField(run: Run, field: PlannedField, parent: Path | undefined): FieldRun {
  return new StartedField(run, field, addPath(parent, field.responseName, field.parentType.name));
}

/** It is the position of its own value, too: promised fields are many. */
class StartedField implements FieldRun {
  readonly run: Run;
  readonly field: PlannedField;
  readonly path: Path;
  readonly shape: Shape;
  readonly fieldRun: FieldRun;
  #info: GraphQLResolveInfo | undefined = undefined;

  constructor(run: Run, field: PlannedField, path: Path) {
    this.run = run;
    this.field = field;
    this.path = path;
    this.shape = field.shape;
    this.fieldRun = this;
  }

  /** The fourth argument of a resolver. Made when it is first needed. */
  get info(): GraphQLResolveInfo {
    this.#info ??= createInfo(this);
    return this.#info;
  }
}

/** Everything graphql-js puts there, in the installed major's shape and with its sharing: nothing of it belongs to another execution. */
function createInfo({ run, field, path }: FieldRun): GraphQLResolveInfo {
  const { definition, parentType } = field;
  const { schema, rootValue, operation } = run.settings;
  const { fragments, variableValues, getAbortSignal, getAsyncHelpers } = run.infoParts();
  const fieldName = definition.name;
  const fieldNodes = run.nodesOf(field);
  const returnType = definition.type;
  // Written out twice: a spread would cost as much as the rest of a small field.
  const info = isGraphQL17
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
  return info as unknown as GraphQLResolveInfo;
}
