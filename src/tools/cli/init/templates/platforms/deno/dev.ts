process.env.NODE_ENV = 'development';
export default (await import('./functions/graphql.ts')).default;
