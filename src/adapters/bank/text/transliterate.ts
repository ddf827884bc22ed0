/** Letters that Unicode does not decompose into a basic Latin letter and marks. */
// biome-ignore format: a table is read in lines
const letters: Readonly<Record<string, string>> = {
  // Latin
  Æ: 'AE', æ: 'ae', Œ: 'OE', œ: 'oe', Ø: 'O', ø: 'o', ß: 'ss', ẞ: 'SS', Ł: 'L', ł: 'l', Đ: 'D', đ: 'd', Ð: 'D', ð: 'd',
  Þ: 'Th', þ: 'th', Ħ: 'H', ħ: 'h', ı: 'i', ĸ: 'k', Ŋ: 'N', ŋ: 'n', Ŧ: 'T', ŧ: 't', Ə: 'A', ə: 'a', Ɖ: 'D', ƒ: 'f',
  // Latin of African languages and of the Turkic alphabets of the 1920s
  Ɓ: 'B', ɓ: 'b', Ɗ: 'D', ɗ: 'd', Ƙ: 'K', ƙ: 'k', Ƴ: 'Y', ƴ: 'y', Ɛ: 'E', ɛ: 'e', Ɔ: 'O', ɔ: 'o', Ɣ: 'G', ɣ: 'g',
  Ʋ: 'V', ʋ: 'v', Ɲ: 'N', ɲ: 'n', Ɩ: 'I', ɩ: 'i', Ʊ: 'U', ʊ: 'u', Ǝ: 'E', ǝ: 'e', Ƭ: 'T', ƭ: 't', Ƥ: 'P', ƥ: 'p',
  Ʉ: 'U', ʉ: 'u', Ɨ: 'I', ɨ: 'i', Ⱥ: 'A', ⱥ: 'a', Ƶ: 'Z', ƶ: 'z', ɖ: 'd', Ƒ: 'F',
  // Greek, after ISO 843
  Α: 'A', Β: 'V', Γ: 'G', Δ: 'D', Ε: 'E', Ζ: 'Z', Η: 'I', Θ: 'Th', Ι: 'I', Κ: 'K', Λ: 'L', Μ: 'M', Ν: 'N', Ξ: 'X',
  Ο: 'O', Π: 'P', Ρ: 'R', Σ: 'S', Τ: 'T', Υ: 'Y', Φ: 'F', Χ: 'Ch', Ψ: 'Ps', Ω: 'O',
  α: 'a', β: 'v', γ: 'g', δ: 'd', ε: 'e', ζ: 'z', η: 'i', θ: 'th', ι: 'i', κ: 'k', λ: 'l', μ: 'm', ν: 'n', ξ: 'x',
  ο: 'o', π: 'p', ρ: 'r', σ: 's', ς: 's', τ: 't', υ: 'y', φ: 'f', χ: 'ch', ψ: 'ps', ω: 'o',
  // Cyrillic, after the tables of passports (ICAO Doc 9303)
  А: 'A', Б: 'B', В: 'V', Г: 'G', Ґ: 'G', Д: 'D', Ђ: 'D', Ѓ: 'G', Е: 'E', Є: 'Ie', Ж: 'Zh', З: 'Z', Ѕ: 'Dz', И: 'I',
  І: 'I', Ј: 'J', К: 'K', Л: 'L', Љ: 'Lj', М: 'M', Н: 'N', Њ: 'Nj', О: 'O', П: 'P', Р: 'R', С: 'S', Т: 'T', Ћ: 'C',
  У: 'U', Ф: 'F', Х: 'Kh', Ц: 'Ts', Ч: 'Ch', Џ: 'Dz', Ш: 'Sh', Щ: 'Shch', Ъ: 'Ie', Ы: 'Y', Ь: '', Э: 'E', Ю: 'Iu', Я: 'Ia',
  а: 'a', б: 'b', в: 'v', г: 'g', ґ: 'g', д: 'd', ђ: 'd', ѓ: 'g', е: 'e', є: 'ie', ж: 'zh', з: 'z', ѕ: 'dz', и: 'i',
  і: 'i', ј: 'j', к: 'k', л: 'l', љ: 'lj', м: 'm', н: 'n', њ: 'nj', о: 'o', п: 'p', р: 'r', с: 's', т: 't', ћ: 'c',
  у: 'u', ф: 'f', х: 'kh', ц: 'ts', ч: 'ch', џ: 'dz', ш: 'sh', щ: 'shch', ъ: 'ie', ы: 'y', ь: '', э: 'e', ю: 'iu', я: 'ia',
  // Cyrillic of Kazakh, Kyrgyz, Tatar, Bashkir, Mongolian, Tajik and others; and of old Russian
  Ә: 'A', ә: 'a', Ғ: 'G', ғ: 'g', Ҕ: 'G', ҕ: 'g', Җ: 'Zh', җ: 'zh', Ҙ: 'Z', ҙ: 'z', Қ: 'K', қ: 'k', Ҝ: 'G', ҝ: 'g',
  Ҟ: 'K', ҟ: 'k', Ҡ: 'K', ҡ: 'k', Ӄ: 'K', ӄ: 'k', Ң: 'N', ң: 'n', Ҥ: 'N', ҥ: 'n', Ӈ: 'N', ӈ: 'n', Ө: 'O', ө: 'o',
  Ҫ: 'S', ҫ: 's', Ҭ: 'T', ҭ: 't', Ү: 'U', ү: 'u', Ұ: 'U', ұ: 'u', Ҳ: 'H', ҳ: 'h', Һ: 'H', һ: 'h', Ҷ: 'J', ҷ: 'j',
  Ҹ: 'J', ҹ: 'j', Ҵ: 'Ts', ҵ: 'ts', Ҽ: 'Ch', ҽ: 'ch', Ӡ: 'Dz', ӡ: 'dz', Ӏ: 'I', ӏ: 'i', Ѣ: 'E', ѣ: 'e', Ѳ: 'F',
  ѳ: 'f',
  // Signs
  'ʼ': "'", 'ʻ': "'", 'ʽ': "'", 'ʾ': "'", 'ʿ': "'", 'ꞌ': "'",
  '’': "'", '‘': "'", '`': "'", '´': "'", '“': "'", '”': "'", '"': "'", '–': '-', '—': '-', '‐': '-', '‑': '-',
  '…': '...', '&': '+', '№': 'No', '€': 'EUR', '£': 'GBP', '@': '(at)', '_': '-', ';': ',', '!': '.', '[': '(',
  ']': ')', '{': '(', '}': ')', '*': '.', '=': '-', '%': '.', '#': '.', '~': '-', '^': '.', '|': '/', '\\': '/',
}

/**
 * Writes a text with the characters that `isAllowed` accepts: marks are dropped, letters of other scripts are spelled,
 * every other character becomes a full stop. `lost` counts letters and digits that have no spelling here.
 */
export function transliterate(text: string, isAllowed: (text: string) => boolean): { text: string; lost: number } {
  if (isAllowed(text)) return { text: text.replace(/\s+/g, ' ').trim(), lost: 0 }
  let written = ''
  let lost = 0
  for (const character of text.normalize('NFC')) {
    if (isAllowed(character)) {
      written += character
      continue
    }
    const spelled = [...spell(character)].filter(isAllowed).join('')
    if (spelled === '' && /[\p{L}\p{N}]/u.test(character) && letters[character] !== '') lost += 1
    written +=
      spelled || (/\p{M}/u.test(character) || letters[character] === '' ? '' : /\s/.test(character) ? ' ' : '.')
  }
  return { text: written.replace(/\s+/g, ' ').trim(), lost }
}

/** Spells a character: by the table, or by the basic letter and signs that it is composed of. */
function spell(character: string): string {
  const known = letters[character]
  if (known !== undefined) return known
  return [...character.normalize('NFKD')]
    .filter((part) => !/\p{M}/u.test(part))
    .map((part) => letters[part] ?? part)
    .join('')
}
