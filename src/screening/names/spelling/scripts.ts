// The Latin letters for each letter of another script. Spellings that differ between systems of transliteration (kh and
// h, y and i) are made equal later, in sound.ts: here one choice for each letter is enough.

type Letters = Readonly<Record<string, string>>

// biome-ignore format: a table is read by column
const latin: Letters = {
  ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ħ: 'h', ı: 'i', ŧ: 't', ə: 'a', ŋ: 'n',
}

// Russian, Ukrainian, Belarusian, Bulgarian, Serbian, Macedonian and Kazakh. й and ё come without their marks.
// biome-ignore format: a table is read by column
const cyrillic: Letters = {
  а: 'a', б: 'b', в: 'v', г: 'g', д: 'd', е: 'e', ж: 'zh', з: 'z', и: 'i', к: 'k', л: 'l', м: 'm', н: 'n', о: 'o',
  п: 'p', р: 'r', с: 's', т: 't', у: 'u', ф: 'f', х: 'kh', ц: 'ts', ч: 'ch', ш: 'sh', щ: 'shch', ъ: '', ы: 'y', ь: '',
  э: 'e', ю: 'yu', я: 'ya', і: 'i', є: 'ye', ґ: 'g', ў: 'u', ј: 'j', љ: 'lj', њ: 'nj', ћ: 'c', ђ: 'dj', џ: 'dzh',
  ѓ: 'gj', ќ: 'kj', ѕ: 'dz', қ: 'k', ғ: 'g', ң: 'n', ө: 'o', ұ: 'u', ү: 'u', һ: 'h', ә: 'a',
}

// Replaced before single letters: a pair is one sound.
const greekPairs: readonly (readonly [string, string])[] = [
  ['ου', 'ou'],
  ['μπ', 'b'],
  ['ντ', 'nt'],
  ['γκ', 'gk'],
  ['γγ', 'ng'],
  ['αυ', 'av'],
  ['ευ', 'ev'],
  ['αι', 'ai'],
  ['ει', 'ei'],
  ['οι', 'oi'],
  ['τζ', 'tz'],
  ['τσ', 'ts'],
]
// biome-ignore format: a table is read by column
const greek: Letters = {
  α: 'a', β: 'v', γ: 'g', δ: 'd', ε: 'e', ζ: 'z', η: 'i', θ: 'th', ι: 'i', κ: 'k', λ: 'l', μ: 'm', ν: 'n', ξ: 'x',
  ο: 'o', π: 'p', ρ: 'r', σ: 's', ς: 's', τ: 't', υ: 'y', φ: 'f', χ: 'ch', ψ: 'ps', ω: 'o',
}

const letters: Letters = { ...latin, ...cyrillic, ...greek }

/** Spells letters that Unicode does not decompose, such as ß and ø, with plain ones. Takes lower case without marks. */
export function spellLatin(text: string): string {
  return text.replaceAll(/[^\w\s]/gu, (letter) => latin[letter] ?? letter)
}

/** Spells Cyrillic and Greek in Latin letters; a letter in no table stays. Takes lower case without marks. */
export function spellInLatin(text: string): string {
  let spelt = text
  if (/\p{Script=Greek}/u.test(spelt)) for (const [pair, sound] of greekPairs) spelt = spelt.replaceAll(pair, sound)
  return spelt.replaceAll(/[^\w\s]/gu, (letter) => letters[letter] ?? letter)
}

// Arabic and Persian consonants in the sounds of sound.ts, the usual one first. Persians and Turks say some of them
// otherwise: ض is d in Arabic and z in Persian, as in Rida and Reza. The vowels are mostly not written: see arabic.ts.
// biome-ignore format: a table is read by column
export const arabicConsonants: Letters = {
  ب: 'b', پ: 'p', ت: 't', ث: 'ts', ج: 'Jgi', چ: 'CS', ح: 'h', خ: 'h', د: 'd', ذ: 'dz', ر: 'r', ز: 'z', ژ: 'Jz', س: 's',
  ش: 'SC', ص: 's', ض: 'dz', ط: 't', ظ: 'zd', غ: 'gk', ف: 'fv', ڤ: 'v', ق: 'kg', ک: 'k', ك: 'k', گ: 'g', ل: 'l', م: 'm',
  ن: 'n', ه: 'h', ٹ: 't', ڈ: 'd', ڑ: 'r', ں: 'n', ھ: 'h', ہ: 'h',
}
