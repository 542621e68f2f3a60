import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The number of bytes by which some work increases the retained heap. */
export function heapGrowth(work: () => void): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  const before = process.memoryUsage().heapUsed;
  work();
  // V8 releases the names of properties only at the third collection.
  for (let time = 0; time < 3; time++) collect();
  return process.memoryUsage().heapUsed - before;
}
