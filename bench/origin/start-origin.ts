import { fork } from 'node:child_process';
import { join } from 'node:path';

/** What the origin is told. */
export type ToOrigin = { readonly kind: 'varnish'; readonly url: string } | { readonly kind: 'usage' };

/** What it says. */
export type FromOrigin =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'usage'; readonly cpu: NodeJS.CpuUsage; readonly asked: number };

/** What the origin has used. */
export interface Usage {
  /** Milliseconds of CPU. */
  readonly cpu: number;
  /** Requests. */
  readonly asked: number;
}

/** The shop in a process of its own. */
export interface Origin {
  readonly port: number;
  readonly usage: () => Promise<Usage>;
  readonly tell: (message: ToOrigin) => void;
  readonly end: () => void;
}

/** `purgeInterval`: of the option. */
export async function startOrigin(kind: 'edge' | 'bare', purgeInterval?: number): Promise<Origin> {
  const args = [kind, ...(purgeInterval === undefined ? [] : [String(purgeInterval)])];
  const child = fork(join(import.meta.dirname, 'origin.ts'), args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const next = <T extends FromOrigin['kind']>(wanted: T): Promise<Extract<FromOrigin, { kind: T }>> =>
    new Promise((resolve, reject) => {
      const look = (message: FromOrigin): void => {
        if (message.kind !== wanted) return;
        child.off('message', look);
        resolve(message as Extract<FromOrigin, { kind: T }>);
      };
      child.on('message', look);
      child.once('exit', () => reject(new Error('The origin has ended.')));
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
    tell: (message) => void child.send(message),
    end: () => child.disconnect(),
  };
}
