/** By country: how its postal codes are written, and an example to show to people. */
export type PostalCodeTable = Readonly<Record<string, readonly [pattern: RegExp, example: string]>>
