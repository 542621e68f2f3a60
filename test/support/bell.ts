import { GraphQLError } from 'graphql';

/** The scope of an operation whose timeout the test triggers. */
export interface Bell {
  readonly invocation: { readonly signal: AbortSignal; onCancel(callback: (reason: Error) => void): () => void };
  ring(): void;
}

export function createBell(): Bell {
  const controller = new AbortController();
  const callbacks = new Set<(reason: Error) => void>();
  return {
    invocation: {
      signal: controller.signal,
      onCancel(callback) {
        callbacks.add(callback);
        return () => callbacks.delete(callback);
      },
    },
    ring() {
      const reason = new GraphQLError('Time is up', { extensions: { code: 'DEADLINE_EXCEEDED' } });
      for (const callback of callbacks) callback(reason);
      controller.abort(reason);
    },
  };
}
