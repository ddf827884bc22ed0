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

/** Reads typed answers as the API takes them: texts trimmed, numbers without groups, empty answers left out. */
export function tidyAnswers(value: unknown, name = ''): unknown {
  if (typeof value === 'string') {
    const text = grouped.has(name) ? value.replaceAll(/[\s\u2010-\u2013-]/g, '') : value.trim()
    return text === '' ? undefined : text
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value as Tree)
    .map(([key, inside]) => [key, tidyAnswers(inside, key)] as const)
    .filter(([, inside]) => inside !== undefined)
  return entries.length === 0 && name !== '' ? undefined : Object.fromEntries(entries)
}
