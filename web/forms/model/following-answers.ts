import { read, readText } from './paths.ts'
import type { Change } from './types.ts'

/**
 * The answers that another one changes. Another country empties the region and the postal code of its address. The
 * registered address of a business starts with the country of its registration.
 */
export function answersThatFollow(values: unknown, field: string, value: unknown): Change[] {
  if (field === 'kybData.businessInfo.registrationCountry') {
    const country = 'kybData.businessRegisteredAddress.countryCode'
    return value && readText(values, country) === '' ? [{ field: country, value }] : []
  }
  const [, place] = /^(.*ddress)\.countryCode$/.exec(field) ?? []
  if (!place || readText(values, field) === String(value ?? '')) return []
  return [`${place}.stateRegionProvince`, `${place}.postalCode`]
    .filter((answer) => read(values, answer) !== undefined)
    .map((answer) => ({ field: answer, value: undefined }))
}
