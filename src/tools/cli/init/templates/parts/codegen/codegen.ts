import type { CodegenConfig } from '@graphql-codegen/cli';

const config: CodegenConfig = {
  schema: 'graphql/schema.ts',
  generates: {
    'graphql/resolvers-types.ts': {
      plugins: ['typescript', 'typescript-resolvers'],
      config: {
        // The type that resolvers return for a Book.
        mappers: { Book: './books.ts#BookRow' },
        immutableTypes: true,
        useTypeImports: true,
      },
    },
  },
};

export default config;
