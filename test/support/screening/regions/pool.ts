import { type Random, seededRandom } from '../generated-list.ts'

/** A word of a name: its Latin spellings, the listed one first, and the word in its own script where it has one. */
export type Word = { latin: readonly string[]; own?: string }

/** A person; `middle` holds patronymics and further given names. */
export type Person = { given: Word[]; middle: Word[]; family: Word[]; birth: string }

/**
 * A part of the world whose names follow one pattern. `share` is its share of the persons of a list. Listed and ordinary
 * people have the same names; one in eight listed people is a woman, and every other ordinary one.
 */
export type Region = {
  name: string
  share: number
  make(random: Random, isWoman: boolean): Omit<Person, 'birth'>
  /** True where a list often adds the given name with the father's as another name. */
  hasFatherAliases?: boolean
  /** The separator of words in the own script. */
  gap?: string
  /** True when the own script writes the family name first. */
  isFamilyFirst?: boolean
}

/** Reads "Yusuf/Youssef=يوسف Ali=علي": spellings, then the own script. Underscores stand for spaces. */
export function pool(text: string): Word[] {
  return text
    .trim()
    .split(/\s+/)
    .map((each) => {
      const [latin = '', own] = each.replaceAll('_', ' ').split('=')
      return own === undefined ? { latin: latin.split('/') } : { latin: latin.split('/'), own }
    })
}

const sums = new WeakMap<readonly Word[], Float64Array>()

/**
 * Picks by rank where no counts are published: the first words of a pool are the commonest, as 1 / (rank + 30). The
 * shares are flatter than those of people.
 */
export function pickRanked(random: Random, words: readonly Word[]): Word {
  const known = sums.get(words) ?? sumWeights(words.length)
  sums.set(words, known)
  const left = (random.below(1_000_000) / 1_000_000) * known.at(-1)!
  return words[known.findIndex((sum) => sum > left)] ?? words.at(-1)!
}

function sumWeights(count: number): Float64Array {
  let sum = 0
  return Float64Array.from({ length: count }, (_, at) => {
    sum += 1 / (at + 30)
    return sum
  })
}

/** Picks different words, the common ones more often. */
export function pickSome(random: Random, words: readonly Word[], count: number): Word[] {
  return pickDifferent(count, () => pickRanked(random, words))
}

export function pickDifferent(count: number, pick: () => Word): Word[] {
  const chosen = new Map<string, Word>()
  while (chosen.size < count) {
    const word = pick()
    chosen.set(word.latin[0]!, word)
  }
  return [...chosen.values()]
}

/** How many people bear a name, by its rank: `scale` / (rank + `offset`) of them. See published-shares.ts. */
export type Curve = { scale: number; offset: number }

/**
 * Picks by a curve that follows published counts. The words of the pool have the first ranks; behind them the curve goes
 * on with invented words, always the same one for a rank, until all people have a name.
 */
export function pickByCurve(
  random: Random,
  words: readonly Word[],
  { scale, offset }: Curve,
  invent: (random: Random) => Word,
): Word {
  const share = random.below(1_000_000) / 1_000_000
  const rank = Math.round((offset + 0.5) * Math.exp(share / scale) - offset)
  return words[rank - 1] ?? invent(seededRandom(rank))
}

/** Joins a beginning and an ending: the many rare family names of a region. */
export function compound(random: Random, heads: readonly Word[], tails: readonly Word[]): Word {
  const [head, tail] = [random.pick(heads), random.pick(tails)]
  const latin = head.latin.flatMap((first) => tail.latin.map((last) => first + last))
  return head.own !== undefined && tail.own !== undefined ? { latin, own: head.own + tail.own } : { latin }
}

const consonants = 'b d f g h k l m n r s t z'.split(' ')

/** An invented rare word. */
export function coin(random: Random, syllables: number, endings: readonly string[]): string {
  const syllable = () => random.pick(consonants) + random.pick(['a', 'e', 'i', 'o', 'u'])
  const text = Array.from({ length: syllables }, syllable).join('') + random.pick(consonants) + random.pick(endings)
  return text[0]!.toUpperCase() + text.slice(1)
}

const cyrillic = pool(
  'ba=ба be=бе bo=бо va=ва vo=во go=го gu=гу da=да du=ду za=за zhu=жу ka=ка ko=ко ku=ку la=ла le=ле lo=ло lu=лу ma=ма me=ме mo=мо na=на ne=не pa=па po=по ra=ра re=ре ro=ро ru=ру sa=са se=се so=со su=су ta=та ti=ти to=то tu=ту khu=ху cha=ча che=че sha=ша shu=шу ya/ia=я',
)
const cyrillicEnds = pool(
  'bnov=бнов dov=дов khov=хов lkin=лкин mov=мов nin=нин rsky/rskiy=рский shkov=шков tsev=цев vchenko=вченко zhenko=женко rchuk=рчук gin=гин kov=ков lyaev/liaev=ляев shin=шин bov=бов nko=нко',
)

/** An invented rare family name in Cyrillic and Latin letters. */
export function coinSlavic(random: Random): Word {
  const parts = [
    ...Array.from({ length: random.chance(0.15) ? 1 : 2 }, () => random.pick(cyrillic)),
    random.pick(cyrillicEnds),
  ]
  const spell = (at: number) => {
    const text = parts.map(({ latin }) => latin[at] ?? latin[0]).join('')
    return text[0]!.toUpperCase() + text.slice(1)
  }
  const own = parts.map((part) => part.own).join('')
  return { latin: [...new Set([spell(0), spell(1)])], own: own[0]!.toUpperCase() + own.slice(1) }
}

const arabicLetters = pool(
  'b=ب t=ت th/t=ث j/g=ج h=ح kh/h=خ d=د dh/d=ذ r=ر z=ز s=س sh/ch=ش s=ص d=ض t=ط z=ظ gh/g=غ f=ف q/k=ق k=ك l=ل m=م n=ن h=ه w=و',
)
// At the end of a word, the others are written for a vowel.
const strongLetters = arabicLetters.filter(({ own }) => own !== 'و' && own !== 'ه')
// The vowels between three consonants, as listed and as others write them, and the long ones in Arabic.
const arabicPatterns = [
  { vowels: ['a', 'a', 'a'], other: ['a', 'a', 'e'], own: ['', 'ا', ''], doubled: true },
  { vowels: ['u', 'ay', ''], other: ['o', 'ai', ''], own: ['', 'ي', ''], doubled: false },
  { vowels: ['a', 'i', ''], other: ['a', 'ee', ''], own: ['', 'ي', ''], doubled: false },
  { vowels: ['a', 'u', ''], other: ['a', 'ou', ''], own: ['', 'و', ''], doubled: false },
  { vowels: ['a', 'i', ''], other: ['a', 'e', ''], own: ['ا', '', ''], doubled: false },
  { vowels: ['a', '', ''], other: ['e', '', ''], own: ['', '', ''], doubled: false },
]
const arabicEnds = pool(`i/y=ي i/y=ي i/i=ي awi/aoui=اوي ani/any=اني`)

/** An invented rare family name in Arabic and Latin letters. */
export function coinArabic(random: Random): Word {
  return coinFromRoot(random, arabicLetters, random.pick(arabicEnds))
}

/** An invented rare given name in Arabic and Latin letters. */
export function coinArabicGiven(random: Random): Word {
  return coinFromRoot(random, strongLetters, { latin: ['', ''], own: '' })
}

function coinFromRoot(random: Random, from: readonly Word[], end: Word): Word {
  const letters = random.shuffle(from).slice(0, 3)
  const pattern = random.pick(arabicPatterns)
  const spell = (at: number) => {
    const vowels = at === 0 ? pattern.vowels : pattern.other
    // Others respell some of the letters, not all of them at once.
    const texts = letters.map(({ latin }) => (random.chance(0.4) ? (latin[at] ?? latin[0]!) : latin[0]!))
    const middle = pattern.doubled ? texts[1]! + texts[1]! : texts[1]!
    return `${texts[0]}${vowels[0]}${middle}${vowels[1]}${texts[2]}${end.latin[at]}`
  }
  const latin = [0, 1].map(spell).map((text) => text[0]!.toUpperCase() + text.slice(1))
  return { latin, own: letters.map(({ own }, at) => own! + pattern.own[at]).join('') + end.own }
}
