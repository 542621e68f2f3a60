import type { FieldNode, FragmentDefinitionNode, GraphQLResolveInfo } from 'graphql';

import type { ExecutionInvocation } from '../../shared/index.ts';
import { isGraphQL17 } from '../graphql-version.ts';
import { handleRejections } from './unhandled-rejections.ts';

export type VariableValues = GraphQLResolveInfo['variableValues'];

/** A field of the plan. */
interface SelectedField {
  readonly nodes: readonly FieldNode[];
}

/** The members that all `info` objects of one execution share. The last two exist in graphql 17 only. */
interface SharedMembers {
  readonly fragments: Record<string, FragmentDefinitionNode>;
  readonly variableValues: VariableValues;
  /** The AbortController is created for the first resolver that calls this. */
  readonly getAbortSignal: () => AbortSignal;
  readonly getAsyncHelpers: () => AsyncHelpers;
}

/** The execution that the `info` objects belong to. */
interface InfoOwner {
  readonly variableValues: VariableValues | undefined;
  readonly hasEnded: boolean;
}

/** The members that the `info` objects of one execution share. */
export class SharedInfo {
  readonly #owner: InfoOwner;
  readonly #invocation: ExecutionInvocation | undefined;
  readonly #fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  #nodes: Map<SelectedField, FieldNode[]> | undefined = undefined;
  #members: SharedMembers | undefined = undefined;
  #abortController: AbortController | undefined = undefined;

  constructor(owner: InfoOwner, invocation: ExecutionInvocation | undefined, fragments: Readonly<Record<string, FragmentDefinitionNode>>) {
    this.#owner = owner;
    this.#invocation = invocation;
    this.#fragments = fragments;
  }

  get members(): SharedMembers {
    return (this.#members ??= this.#createMembers());
  }

  /** `info.fieldNodes`: one array per field and execution, because resolvers key their loaders by it and may modify it. */
  nodesOf(field: SelectedField): FieldNode[] {
    this.#nodes ??= new Map();
    let nodes = this.#nodes.get(field);
    if (nodes === undefined) this.#nodes.set(field, (nodes = field.nodes.slice()));
    return nodes;
  }

  /** Called when the execution has ended. */
  end(): void {
    this.#abortController?.abort();
  }

  #createMembers(): SharedMembers {
    let asyncHelpers: AsyncHelpers | undefined;
    return {
      // A copy, because resolvers may modify it.
      fragments: Object.assign(Object.create(null) as object, this.#fragments),
      variableValues: this.#owner.variableValues ?? emptyVariableValues(),
      getAbortSignal: () => this.#abortSignal(),
      getAsyncHelpers: () => (asyncHelpers ??= createAsyncHelpers()),
    };
  }

  #abortSignal(): AbortSignal {
    // The operation's signal does not fire when the execution ends: work that outlives the response continues.
    if (this.#invocation !== undefined) return this.#invocation.signal;
    this.#abortController ??= new AbortController();
    if (this.#owner.hasEnded) this.#abortController.abort();
    return this.#abortController.signal;
  }
}

/** `never` with the types of graphql 16, which has no async helpers. */
type AsyncHelpers = GraphQLResolveInfo extends { readonly getAsyncHelpers: () => infer Helpers } ? Helpers : never;

/** The result of `info.getAsyncHelpers()`. `track` only handles rejections: graphql-js tracks for a hook that plans do not run. */
function createAsyncHelpers(): AsyncHelpers {
  return {
    promiseAll: (values) => {
      const all = Promise.all(values);
      handleRejections(all);
      return all as Promise<Awaited<(typeof values)[number]>[]>;
    },
    track: (values) => handleRejections(values),
  };
}

function emptyVariableValues(): VariableValues {
  return (isGraphQL17 ? { sources: Object.create(null), coerced: Object.create(null) } : {}) as VariableValues;
}
