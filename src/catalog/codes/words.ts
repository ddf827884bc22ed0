/** Words that carry no meaning of their own in a code. */
const fillers: ReadonlySet<string> = new Set(
  'A AN AND AT BY FOR FROM IN OF ON OR THE TO WITH D DA DAS DE DEL DES DI DO DOS DU E EL EN ET LA LE LES Y ZU'.split(
    ' ',
  ),
)

/** One spelling of words that people write in several ways. */
const spellings: Readonly<Record<string, string>> = {
  IDENTITY: 'ID',
  IDENTIFICATION: 'ID',
  IDENTIFIER: 'ID',
  LICENCE: 'LICENSE',
  DL: 'DRIVER_LICENSE',
  CORP: 'CORPORATION',
  INC: 'INCORPORATED',
  LTD: 'LIMITED',
  PVT: 'PRIVATE',
  CO: 'COMPANY',
  PAY: 'PAYMENT',
  ECOMMERCE: 'E_COMMERCE',
}

/**
 * Reduces a code to the words that carry its meaning, so that the catalogs need one spelling of each: driversLicense,
 * DRIVER_LICENCE and DRIVING_LICENSE all become DRIV LICENS. Fillers go, plurals and endings go, spellings agree.
 */
export function wordsOfCode(code: string): string[] {
  const words = code
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .filter(Boolean)
    .flatMap((word) => (spellings[word] ?? word).split('_'))
  const telling = words.filter((word) => !fillers.has(word))
  return [...new Set((telling.length > 0 ? telling : words).map(stem))].toSorted()
}

function lettersOf(code: string): string {
  return code.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')
}

/** Cuts the endings by which forms of one word differ: DRIVERS and DRIVING, INVESTMENT and INVESTING, SALE and SALES. */
function stem(word: string): string {
  const isPlural = word.length > 3 && word.endsWith('S') && !word.endsWith('SS')
  const singular = isPlural ? word.replace(/IES$/, 'Y').replace(/S$/, '') : word
  const root = singular.replace('ISATION', 'IZATION').replace(/(?<=[A-Z]{3})(?:ING|MENT|ER)$/, '')
  return root.length > 3 ? root.replace(/E$/, '') : root
}

/** Finds the entry whose words are exactly those of the code, or else the one with most words of which it has all. */
export function findByWords<Entry>(catalog: WordCatalog<Entry>, code: string): Entry | undefined {
  const words = new Set(wordsOfCode(code))
  const held = catalog.filter((each) => each.words.every((word) => words.has(word)))
  return held.toSorted((one, other) => other.words.length - one.words.length)[0]?.entry
}

/** Finds the entry that a code names, in any order of words, or without a mark between them: NONPROFIT. */
export function hasExactWords<Entry>(catalog: WordCatalog<Entry>, code: string): Entry | undefined {
  const [key, letters] = [wordsOfCode(code).join(' '), lettersOf(code)]
  return catalog.find((each) => each.words.join(' ') === key || each.letters === letters)?.entry
}

/** True for a code that is made of known codes: EMPLOYED_FULL_TIME is EMPLOYED and FULL_TIME. */
export function isMadeOf(catalog: WordCatalog<unknown>, code: string): boolean {
  if (hasExactWords(catalog, code) !== undefined) return true
  const words = wordsOfCode(code)
  const held = catalog.filter((each) => each.words.every((word) => words.includes(word)))
  const covered = new Set(held.flatMap((each) => each.words))
  return words.length > 0 && words.every((word) => covered.has(word))
}

export type WordCatalog<Entry> = readonly { entry: Entry; words: readonly string[]; letters: string }[]

/** Prepares a list of codes, or of names for each entry, for the functions above. */
export function catalogOf(codes: readonly string[]): WordCatalog<string>
export function catalogOf<Entry extends string>(names: Readonly<Record<Entry, string>>): WordCatalog<Entry>
export function catalogOf(given: readonly string[] | Readonly<Record<string, string>>): WordCatalog<string> {
  const pairs = Array.isArray(given)
    ? given.map((code: string) => [code, code] as const)
    : Object.entries(given).flatMap(([entry, names]) =>
        [entry, ...splitCodes(names)].map((name) => [entry, name] as const),
      )
  return pairs.map(([entry, name]) => ({ entry, words: wordsOfCode(name), letters: lettersOf(name) }))
}

export function splitCodes(text: string): string[] {
  return text.trim().split(/\s+/).filter(Boolean)
}
