import type { GraphQLResolveInfo } from 'graphql';

import { allArguments } from './visible-arguments.ts';
import type { ResolverCall } from './visible-arguments.ts';
import { runnerOf } from './batch/batch-types.ts';
import { argumentValues } from '../plan/arguments.ts';
import type { ArgumentValues } from '../plan/arguments.ts';
import { completeValue, nullOrThrow, toRootError } from './errors.ts';
import { ObservedField, startField } from './field-run.ts';
import { createCode } from './generated-code.ts';
import { plainValue } from '../built-in-scalars.ts';
import { Pending, PendingContainer, PromisedValue } from './pending.ts';
import type { FieldRun, GeneratedCode, PlannedField, Position, Selection } from '../plan/planned-field.ts';
import type { FieldObserver } from './observer.ts';
import type { Run } from './run.ts';
import { isPromiseLike } from '../../shared/index.ts';

/** Makes the data of a part. An error that reaches its root is an error of the part. `position`: undefined at the root. */
export function executePart(run: Run, execute: typeof executeFields, selection: Selection, source: unknown, position?: Position): void {
  const { part } = run;
  try {
    if (run.root.cancelReason !== undefined) throw run.root.cancelReason;
    const data = execute(run, selection, source, position);
    if (data instanceof Pending) part.pending = data;
    else if (!part.finished) part.finish(data);
  } catch (error) {
    if (!part.finished) run.fail(toRootError(error));
  }
}

/**
 * Runs the fields of one object. Returns the object, or a Pending when a field is asynchronous. Throws the located error of a non-null
 * field. `position`: undefined at the root.
 */
export function executeFields(run: Run, selection: Selection, source: unknown, position: Position | undefined): unknown {
  const { deferral } = selection;
  if (deferral === undefined) return runFields(run, selection, source, position);
  const inner = deferral.enter(run, position);
  if (inner === undefined) return executeFields(run, deferral.whole, source, position);
  const made = runFields(inner, selection, source, position);
  deferral.defer(inner, source, position);
  return made;
}

/** Runs them by generated code, or by a loop. */
function runFields(run: Run, selection: Selection, source: unknown, position: Position | undefined): unknown {
  if (run.runsCode && position !== undefined && typeof source === 'object' && source !== null) {
    const code = selection.code ?? codeAfterMany(run, selection);
    if (code !== undefined) return code(run, source, position);
  }
  run.budget.growByContainer(selection.size);
  const result = new selection.Result();
  let pending: PendingContainer | undefined;
  try {
    for (const field of selection.fields) {
      const value = executeField(run, field, source, position);
      if (value instanceof Pending) {
        pending ??= new PendingContainer(run, result, position);
        pending.waitFor(value, field.responseName);
      } else {
        result[field.responseName] = value;
      }
    }
  } catch (error) {
    if (pending !== undefined) pending.failed = true;
    throw error;
  }
  pending?.filled();
  return pending ?? result;
}

/** Generates code for a selection after many objects. It is tried only once, because it would fail again. */
function codeAfterMany({ settings }: Run, selection: Selection): GeneratedCode | undefined {
  if (selection.runs++ !== (settings.rowsBeforeCode ?? defaultRowsBeforeCode)) return undefined;
  selection.code = createCode(selection, codeRuntime);
  return selection.code;
}

/** V8 takes about 5 ms to compile the code, which saves 0.2 to 0.7 µs for each object: fewer objects would not pay for it. */
const defaultRowsBeforeCode = 10_000;

/**
 * Runs one field: resolver, then completion. Returns the completed value or a Pending; throws a located error if the field is
 * non-null. The path and `info` are created only when needed.
 */
export function executeField(run: Run, field: PlannedField, source: unknown, parent: Position | undefined): unknown {
  const { fieldObserver } = run;
  if (field.typename !== undefined && fieldObserver === undefined) return field.typename;
  let fieldRun: FieldRun | undefined;
  try {
    const resolve = field.definition.resolve ?? run.fieldResolver;
    const call = resolve === undefined ? undefined : field.callOf(resolve);
    let value: unknown;
    if (call?.batch !== undefined) return runnerOf(call.batch).startField(run, field, source, parent, call.batch);
    if (fieldObserver === undefined) {
      // Invalid arguments are an error of the field even if its resolver does not read them.
      const values = field.arguments === undefined || field.arguments.areConstant ? undefined : argumentValues(field, run);
      if (call === undefined) {
        value = propertyOf(source, field.fieldName);
        if (typeof value === 'function') value = callMethod((fieldRun = startField(run, field, parent)), source as object, values);
      } else if (call.visible === allArguments) {
        fieldRun = startField(run, field, parent);
        value = resolve!(source, values ?? argumentValues(field, run), run.contextValue, fieldRun.info);
      } else {
        const { call: callResolver, visible } = call;
        value = callResolver(source, visible < 2 ? values : (values ?? argumentValues(field, run)), run.contextValue);
      }
    } else {
      const observed = (fieldRun = new ObservedField(run, field, parent, source));
      value = observe(observed, fieldObserver, call);
    }
    const { shape } = field;
    const plain = plainValue(shape.plain, value);
    if (plain !== undefined) {
      if (typeof plain === 'string') run.budget.grow(plain.length);
      return plain;
    }
    if ((value === null || value === undefined) && !shape.nonNull) return null;
    return completeResolved((fieldRun ??= startField(run, field, parent)), value, source);
  } catch (error) {
    return nullOrThrow(fieldRun ?? startField(run, field, parent), error);
  }
}

/** Calls the observer in place of the resolver. */
function observe(observed: ObservedField, observer: FieldObserver, call: ResolverCall | undefined): unknown {
  if (observed.field.arguments !== undefined) void observed.args;
  return observer.field(observed, () => resolveObserved(observed, call));
}

/** Calls the resolver of an observed field, or graphql-js's default resolver. */
function resolveObserved(observed: ObservedField, call: ResolverCall | undefined): unknown {
  const { field, run, source } = observed;
  if (field.typename !== undefined) return field.typename;
  if (call?.visible === allArguments)
    return (field.definition.resolve ?? run.fieldResolver!)(source, observed.args, run.contextValue, observed.info);
  if (call !== undefined) {
    const { call: callResolver } = call;
    return callResolver(source, observed.args, run.contextValue);
  }
  const value = propertyOf(source, field.fieldName);
  return typeof value === 'function' ? callMethod(observed, source as object, observed.args) : value;
}

function propertyOf(source: unknown, name: string): unknown {
  const hasProperties = (typeof source === 'object' && source !== null) || typeof source === 'function';
  return hasProperties ? (source as Record<string, unknown>)[name] : undefined;
}

/** Calls a method of the parent as graphql-js does, with all arguments of a resolver except the parent. */
function callMethod(fieldRun: FieldRun, source: object, values?: ArgumentValues): unknown {
  const { run, field, info } = fieldRun;
  const object = source as Record<string, (values: ArgumentValues, contextValue: unknown, info: GraphQLResolveInfo) => unknown>;
  return object[field.fieldName]!(values ?? argumentValues(field, run), run.contextValue, info);
}

/** Completes the result of a resolver, or the value of a property of the parent. */
function completeResolved(fieldRun: FieldRun, value: unknown, parent: unknown): unknown {
  if (isPromiseLike(value)) return new PromisedValue(fieldRun, value);
  return completeValue(fieldRun, value, parent);
}

/** The functions that generated code calls: see generated-code.ts. */
const codeRuntime = {
  execute: executeField,
  start: startField,
  argumentValues,
  nullOrThrow,

  /** Completes the result of a resolver. */
  complete(fieldRun: FieldRun, value: unknown, source: object): unknown {
    try {
      return completeResolved(fieldRun, value, source);
    } catch (error) {
      return nullOrThrow(fieldRun, error);
    }
  },

  /** Completes the value of a property, which may be a method. */
  property(fieldRun: FieldRun, value: unknown, source: object): unknown {
    try {
      return completeResolved(fieldRun, typeof value === 'function' ? callMethod(fieldRun, source) : value, source);
    } catch (error) {
      return nullOrThrow(fieldRun, error);
    }
  },

  /** Adds a pending value to the container of an object, which is created when all fields have run. Returns the container. */
  wait(run: Run, position: Position, pending: PendingContainer | undefined, value: Pending, key: string): PendingContainer {
    const container = pending ?? new PendingContainer(run, undefined, position);
    container.adopt(value, key);
    return container;
  },

  /** Sets the object of pending values. */
  filled(pending: PendingContainer, row: object): PendingContainer {
    pending.result = row as Record<string, unknown>;
    pending.filled();
    return pending;
  },
  Pending,
};
