// Written by `graphql-functions documents`. Run it again instead of changing this file.

/** The ids of the current operations by name, for clients. */
export const ids = {
  Book: '720a758da6310228058281c4858e7de169f47ab48a0a04fc8aa93200dea503aa',
  Books: 'f25dbbf121d59812bf3445a33944fc9a4634b595c9232a8240b00f1e03f9a4ef',
  GetBook: 'e3462263a9e5db88aa40cab71e1bd36918a182bed27f0e3548e3e141179801aa',
} as const;
