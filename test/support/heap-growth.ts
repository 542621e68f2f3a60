import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The bytes of heap that are held after some work, and were not before. */
export function heapGrowth(work: () => void): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  const before = process.memoryUsage().heapUsed;
  work();
  // V8 lets go of the names of properties at the third.
  for (let time = 0; time < 3; time++) collect();
  return process.memoryUsage().heapUsed - before;
}
