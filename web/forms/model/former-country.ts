import { read, readText } from './paths.ts'

/** The answers that belong to the former country of an address, when this change names another one. */
export function answersOfFormerCountry(values: unknown, field: string, value: unknown): string[] {
  const [, place] = /^(.*ddress)\.countryCode$/.exec(field) ?? []
  if (!place || readText(values, field) === String(value ?? '')) return []
  const answers = [`${place}.stateRegionProvince`, `${place}.postalCode`]
  return answers.filter((answer) => read(values, answer) !== undefined)
}
