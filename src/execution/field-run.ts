import type { GraphQLResolveInfo } from 'graphql';

import { isGraphQL17 } from './graphql-js/version.ts';
import { addPath } from './plan/planned-field.ts';
import type { FieldRun, Path, PlannedField, Shape } from './plan/planned-field.ts';
import type { Run } from './run.ts';

/** Begins to run a field of the object at this path; undefined for the root. */
export function startField(run: Run, field: PlannedField, parent: Path | undefined): FieldRun {
  return new StartedField(run, field, parent);
}

/** It is the position of its own value, too: promised fields are many. */
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

  /** Made when it is first needed, as is the fourth argument of a resolver. */
  get path(): Path {
    return (this.#path ??= addPath(this.#parent, this.field.responseName, this.field.parentType.name));
  }

  get info(): GraphQLResolveInfo {
    return (this.#info ??= createInfo(this));
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
