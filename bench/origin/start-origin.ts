import { fork } from 'node:child_process';
import { join } from 'node:path';

/** The settings of the purge client that setups differ in. */
export interface EdgeSettings {
  /** Seconds between two purges. */
  readonly interval?: number;
  /** Varnish reads the tags in the answers to mutations. */
  readonly inAnswers?: boolean;
}

/** What the origin is told. */
export type ToOrigin = { readonly kind: 'varnish'; readonly url: string } | { readonly kind: 'usage' };

/** What it says. */
export type FromOrigin =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'behind' }
  | { readonly kind: 'usage'; readonly cpu: NodeJS.CpuUsage; readonly asked: number };

/** What the origin has used. */
export interface Usage {
  /** Milliseconds of CPU. */
  readonly cpu: number;
  /** Requests. */
  readonly asked: number;
}

/** The shop in a separate process. */
export interface Origin {
  readonly port: number;
  readonly usage: () => Promise<Usage>;
  /** Resolves when it knows where to purge. */
  readonly isBehind: (varnish: string) => Promise<void>;
  readonly end: () => void;
}

/** Undefined: without `edge`. */
export async function startOrigin(edge?: EdgeSettings): Promise<Origin> {
  const args = edge === undefined ? [] : [JSON.stringify(edge)];
  const child = fork(join(import.meta.dirname, 'origin.ts'), args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const ended = new Promise((resolve) => {
    child.once('exit', resolve);
  });
  const next = <T extends FromOrigin['kind']>(wanted: T): Promise<Extract<FromOrigin, { kind: T }>> =>
    new Promise((resolve, reject) => {
      const look = (message: FromOrigin): void => {
        if (message.kind !== wanted) return;
        child.off('message', look);
        resolve(message as Extract<FromOrigin, { kind: T }>);
      };
      child.on('message', look);
      void ended.then(() => reject(new Error('The origin has ended.')));
    });
  const { port } = await next('listening');
  return {
    port,
    usage: async () => {
      const answer = next('usage');
      child.send({ kind: 'usage' } satisfies ToOrigin);
      const { cpu, asked } = await answer;
      return { cpu: (cpu.user + cpu.system) / 1_000, asked };
    },
    isBehind: async (url) => {
      const told = next('behind');
      child.send({ kind: 'varnish', url } satisfies ToOrigin);
      await told;
    },
    end: () => child.disconnect(),
  };
}
