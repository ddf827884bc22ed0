/** The pattern of each country's postal codes, and an example for error messages. */
export type PostalCodeTable = Readonly<Record<string, readonly [pattern: RegExp, example: string]>>
