type Tree = Record<string, unknown>

/** Numbers and codes that people write in groups. */
const grouped = new Set([
  'routingNumber',
  'accountNumber',
  'institutionNumber',
  'transitNumber',
  'iban',
  'bicSwift',
  'ifscCode',
])

/** The address of an owner has a city: four names deep. */
const mostDepth = 4

/** Reads typed answers as the API takes them: texts trimmed, numbers without groups, empty answers left out. */
export function tidyAnswers(value: unknown, name = '', depth = 0): unknown {
  if (typeof value === 'string') {
    const text = grouped.has(name) ? value.replaceAll(/[\s\u2010-\u2013-]/g, '') : value.trim()
    return text === '' ? undefined : text
  }
  // The schema refuses what lies deeper than any answer.
  if (typeof value !== 'object' || value === null || Array.isArray(value) || depth > mostDepth) return value
  const entries = Object.entries(value as Tree)
    .map(([key, inside]) => [key, tidyAnswers(inside, key, depth + 1)] as const)
    .filter(([, inside]) => inside !== undefined)
  return entries.length === 0 && name !== '' ? undefined : Object.fromEntries(entries)
}
