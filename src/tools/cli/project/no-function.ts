/** True when platforms find a function to call. */
export function exportsFunction(exports: readonly string[]): boolean {
  return exports.some((name) => name === 'default' || name === 'handler' || name === 'lambda');
}

/** Explains which exports a function needs. */
export function noFunctionMessage(name: string, exports: readonly string[], main?: unknown): string {
  const isObject = typeof main === 'object' && main !== null;
  const found = isObject ? `its default export is an object with the keys ${Object.keys(main).join(', ')}` : undefined;
  return (
    `Expected the function ${name} to export default (request) => Response, or handler = (event) => result; ` +
    `${found ?? `it exports ${exports.join(', ') || 'nothing'}`}. Write: export default createHandler({ … }). ` +
    'If the file is not a function, move it out of this folder, for example to graphql/: platforms deploy every file in it as a function.'
  );
}
