// Written by `graphql-functions documents`. Run it again instead of changing this file.

/** The ids of the current operations by name, for clients. */
export const ids = {
  Book: 'cdbef82b01af9c482c99f43ad618e91fb99369d249722920c014bb78cfe0ca3f',
  Books: '4f4bb5bb2eb79b105d10c05327f49d54b32cc575e90c25a774f92ce82edaefdc',
} as const;
