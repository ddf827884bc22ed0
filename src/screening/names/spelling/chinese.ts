// A Chinese name has several romanizations. Pinyin writes Deng Xiaoping, Wade-Giles Teng Hsiao-p'ing. Most people omit
// the apostrophes, so that p may be p or b. Both systems give one rough key for each syllable.

// The finals of each initial of a pinyin syllable.
// biome-ignore format: a table is read by column
const pinyinTable: Readonly<Record<string, string>> = {
  b: 'a o ai ei ao an en ang eng i ie iao ian in ing u',
  p: 'a o ai ei ao ou an en ang eng i ie iao ian in ing u',
  m: 'a o e ai ei ao ou an en ang eng i ie iao iu ian in ing u',
  f: 'a o ei ou an en ang eng u',
  d: 'a e ai ei ao ou an en ang eng ong i ia ie iao iu ian ing u uo ui uan un',
  t: 'a e ai ao ou an ang eng ong i ie iao ian ing u uo ui uan un',
  n: 'a e ai ei ao ou an en ang eng ong i ie iao iu ian in iang ing u uo uan ue un',
  l: 'a e ai ei ao ou an ang eng ong i ia ie iao iu ian in iang ing u uo uan ue un',
  'g k h': 'a e ai ei ao ou an en ang eng ong u ua uo uai ui uan un uang',
  'j q x': 'i ia ie iao iu ian in iang ing iong u ue uan un',
  'zh ch': 'a e ai ao ou an en ang eng ong i u ua uo uai ui uan un uang',
  sh: 'a e ai ei ao ou an en ang eng i u ua uo uai ui uan un uang',
  r: 'e ao ou an en ang eng ong i u uo ui uan un',
  'z c s': 'a e ai ao ou an en ang eng ong i u uo ui uan un',
  y: 'a o e ao ou an ang ong i in ing u ue uan un',
  w: 'a o ai ei an en ang eng u',
  '': 'ai an ang ao e en er ou',
}

type Syllable = readonly [initial: string, final: string]
type System = (text: string) => Syllable | undefined

const pinyinSyllables: ReadonlyMap<string, Syllable> = new Map(
  Object.entries(pinyinTable)
    .flatMap(([initials, finals]) => initials.split(' ').map((initial) => [initial, finals] as const))
    .flatMap(([initial, finals]) => finals.split(' ').map((final): Syllable => [initial, final]))
    .map((syllable) => [syllable.join(''), syllable] as const),
)

const wadeGilesSyllable =
  /^(?:(ch|hs|sh|ts|tz|ss|sz|[pmftnlkhjswy])(iung|iang|uang|ang|eng|ian|iao|ieh|ien|ing|ueh|uei|uai|uan|ung|ai|an|ao|eh|ei|en|ia|ih|in|iu|ou|ua|ui|un|uo|a|e|i|o|u)|(ai|an|ang|ao|en|erh|ou|o|i))$/

const pinyin: System = (text) => pinyinSyllables.get(text)
const wadeGiles: System = (text) => {
  const [, initial = '', final = '', alone = ''] = wadeGilesSyllable.exec(text) ?? []
  return initial + final + alone === '' ? undefined : [initial, final || alone]
}

// biome-ignore format: a table is read by column
const initialClass: Readonly<Record<string, string>> = {
  b: 'p', d: 't', g: 'k', q: 'c', j: 'c', zh: 'c', ch: 'c', x: 'x', hs: 'x', sh: 'S', ts: 'z', tz: 'z', c: 'z', ss: 's', sz: 's',
}
// biome-ignore format: a table is read by column
const finalClass: Readonly<Record<string, string>> = {
  ien: 'ian', ieh: 'ie', ih: 'i', eh: 'o', e: 'o', uo: 'o', ung: 'ong', iung: 'iong', ueh: 'ue', uei: 'ui', erh: 'er',
}

// After y the two systems differ: yen is yan, yeh is ye, yu is you.
const yFinals: Readonly<Record<string, string>> = { en: 'an', eh: 'e', e: 'e', ou: 'u', u: 'u' }

const maxSyllables = 3
const maxSyllableLength = 6

/** The rough key of a word of one to three syllables of a system; undefined for any other word. */
function keyOf(word: string, system: System, isWade: boolean): string | undefined {
  const found = split(word, system, maxSyllables)
  return found?.map(([initial, final]) => classOf(initial, final, isWade)).join('-')
}

/** Splits a word into syllables: the longest one first, a shorter one if the rest has no split. */
function split(word: string, system: System, max: number): Syllable[] | undefined {
  if (word === '') return []
  if (max === 0) return undefined
  for (let length = Math.min(maxSyllableLength, word.length); length > 0; length--) {
    const syllable = system(word.slice(0, length))
    const rest = syllable && split(word.slice(length), system, max - 1)
    if (rest) return [syllable, ...rest]
  }
  return undefined
}

function classOf(initial: string, final: string, isWade: boolean): string {
  const end = finalClass[final] ?? final
  if (initial === 'y' || initial === '') return `y${yFinals[final] ?? end.replace(/^i(?=.)/, '')}`
  if (isWade && initial === 'j') return `r${end}`
  if (isWade && /^(?:tz|ss|sz)$/.test(initial) && final === 'u') return `${initialClass[initial]}i`
  return `${initialClass[initial] ?? initial}${end}`
}

// Names repeat, and most are asked for several times.
const maxKnown = 50_000
const known = { pinyin: new Map<string, string | undefined>(), wade: new Map<string, string | undefined>() }

function remember(keys: Map<string, string | undefined>, word: string, key: string | undefined): string | undefined {
  if (keys.size < maxKnown) keys.set(word, key)
  return key
}

export function pinyinKey(word: string): string | undefined {
  return (
    known.pinyin.get(word) ??
    (known.pinyin.has(word) ? undefined : remember(known.pinyin, word, keyOf(word, pinyin, false)))
  )
}

export function wadeGilesKey(word: string): string | undefined {
  return (
    known.wade.get(word) ??
    (known.wade.has(word) ? undefined : remember(known.wade, word, keyOf(word, wadeGiles, true)))
  )
}

/** True for a name that an apostrophe, a hyphen or a syllable shows to be Wade-Giles. */
export function isWadeGiles(written: string, words: readonly string[]): boolean {
  if (words.length < 2 || words.length > 4 || !words.every((word) => wadeGilesKey(word) !== undefined)) return false
  return /(?:ch|ts|tz|[ptk])['’ʻ`]|\p{L}-\p{L}/iu.test(written) || words.some((word) => pinyinKey(word) === undefined)
}
