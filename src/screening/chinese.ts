// One Chinese name has several spellings in Latin letters. Pinyin writes Deng Xiaoping, Wade-Giles Teng Hsiao-p'ing, and
// most people leave the apostrophes out, so that p may be p or b. Both are brought to one rough key for each syllable.

const pinyinFinals =
  'iang|iong|uang|ang|eng|ian|iao|ing|ong|uai|uan|ai|an|ao|ei|en|er|ia|ie|in|iu|ou|ua|ue|ui|un|uo|a|e|i|o|u'
const pinyinInitials = 'zh|ch|sh|[bpmfdtnlgkhjqxrzcsyw]'
const wadeFinals = `erh|iung|ieh|ien|ueh|uei|ung|eh|ih|${pinyinFinals}`
const wadeInitials = 'ch|hs|sh|ts|tz|ss|sz|[pmftnlkhjwy]'

const pinyin = syllables(pinyinInitials, pinyinFinals)
const wadeGiles = syllables(wadeInitials, wadeFinals)

function syllables(initials: string, finals: string): RegExp {
  return new RegExp(`^(?:(${initials})(${finals})|(ai|an|ang|ao|e|en|er|erh|ou|i))`)
}

// biome-ignore format: a table is read by column
const initialClass: Readonly<Record<string, string>> = {
  b: 'p', d: 't', g: 'k', q: 'c', j: 'c', zh: 'c', ch: 'c', x: 'x', hs: 'x', sh: 'S', ts: 'z', tz: 'z', c: 'z', ss: 's', sz: 's',
}
// biome-ignore format: a table is read by column
const finalClass: Readonly<Record<string, string>> = {
  ien: 'ian', ieh: 'ie', ih: 'i', eh: 'o', e: 'o', uo: 'o', ung: 'ong', iung: 'iong', ueh: 'ue', uei: 'ui', erh: 'er',
}

// After y the two systems part: yen is yan, yeh is ye, yu is you.
const yFinals: Readonly<Record<string, string>> = { en: 'an', eh: 'e', e: 'e', ou: 'u', u: 'u' }

/** The rough key of a word that is one to three syllables of that system; undefined when it is none. */
function keyOf(word: string, system: RegExp, isWade: boolean): string | undefined {
  const found = split(word, system, 3)
  return found?.map(([initial, final]) => classOf(initial, final, isWade)).join('-')
}

type Syllable = readonly [string, string]

function split(word: string, system: RegExp, most: number): Syllable[] | undefined {
  if (word === '') return []
  if (most === 0) return undefined
  const [, initial = '', final = '', alone = ''] = system.exec(word) ?? []
  // The longest syllable first; a shorter one if the rest is then none ("fangan" is fan-gan).
  for (let length = initial.length + final.length + alone.length; length > 0; length--) {
    const [, begin = '', end = '', single = ''] = system.exec(word.slice(0, length)) ?? []
    if (begin.length + end.length + single.length !== length) continue
    const rest = split(word.slice(length), system, most - 1)
    if (rest) return [[begin, end || single], ...rest]
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

export function pinyinKey(word: string): string | undefined {
  return keyOf(word, pinyin, false)
}

export function wadeGilesKey(word: string): string | undefined {
  return keyOf(word, wadeGiles, true)
}

/** True for a name that only Wade-Giles can have spelt like this: by an apostrophe, a hyphen, or a syllable. */
export function isWadeGiles(written: string, words: readonly string[]): boolean {
  if (words.length < 2 || words.length > 4 || !words.every((word) => wadeGilesKey(word) !== undefined)) return false
  return /(?:ch|ts|tz|[ptk])['’ʻ`]|\p{L}-\p{L}/iu.test(written) || words.some((word) => pinyinKey(word) === undefined)
}
