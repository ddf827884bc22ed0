/** Legal forms and numbers of one country that are not written as their code. Other languages write them the same. */
const properNames: Readonly<Record<string, string>> = {
  GMBH: 'GmbH',
  GGMBH: 'gGmbH',
  GMBH_CO_KG: 'GmbH & Co. KG',
  SRL: 'S.r.l.',
  SP_Z_O_O: 'Sp. z o.o.',
  MY_NUMBER: 'My Number',
  '501C3': '501(c)(3)',
}

/** Writes a code that the catalog of a language has no words for: abbreviations stay as they are. */
export function properNameOf(code: string): string {
  const known = Object.hasOwn(properNames, code) ? properNames[code] : undefined
  if (known) return known
  const words = code.split('_').map((word) => (word.length <= longestAbbreviation ? word : word.toLowerCase()))
  const [first = '', ...rest] = words
  return [first.charAt(0).toUpperCase() + first.slice(1), ...rest].join(' ')
}

const longestAbbreviation = 5
