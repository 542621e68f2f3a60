/** The version in package.json, which no bundle contains. A test compares both. */
export const packageVersion = '1.0.0-rc.1';
