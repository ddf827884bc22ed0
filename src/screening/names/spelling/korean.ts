// A Korean syllable has several romanizations: 정 is Jeong, Jung, Jong or Chong. A Latin syllable stands for a few
// Korean ones, and two syllables are alike when they can stand for the same one.

// biome-ignore format: a table is read by column
const initials: Readonly<Record<string, string>> = {
  kk: 'K', gg: 'K', k: 'K', g: 'K', tt: 'T', dd: 'T', t: 'T', d: 'T', pp: 'P', bb: 'P', p: 'P', b: 'P', n: 'N', m: 'M', r: 'R', l: 'R',
  ss: 'S', sh: 'S', s: 'S', jj: 'C', j: 'C', ch: 'C', h: 'H', '': '',
}
// biome-ignore format: a table is read by column
const vowels: Readonly<Record<string, string>> = {
  a: 'a', ah: 'a', ae: 'e', ai: 'e', e: 'e', ya: 'ya', eo: 'v', uh: 'v', o: 'v o', oh: 'o v', u: 'u v w', oo: 'u', ou: 'u v', woo: 'u', wu: 'u', eu: 'w',
  yeo: 'yv', yo: 'yv yo', you: 'yv yu', yu: 'yv yu', yoo: 'yu', ye: 'ye', yae: 'ye', wa: 'wa', oe: 'oe', oi: 'oe', we: 'oe', wae: 'oe', wo: 'wv', weo: 'wv',
  wi: 'wi', wee: 'wi', ui: 'ui', eui: 'ui', i: 'i ui', ee: 'i ui', yi: 'i',
}
const finals: Readonly<Record<string, string>> = {
  ng: 'G',
  k: 'K',
  g: 'K',
  n: 'N',
  l: 'L',
  m: 'M',
  p: 'P',
  b: 'P',
  t: 'T',
  '': '',
}

const syllable =
  /^(kk|gg|tt|dd|pp|bb|ss|sh|jj|ch|[kgtdpbnmrlsjh]|)(yeo|yae|you|yoo|yuh|woo|weo|wae|wee|eui|ah|ae|ai|ya|eo|uh|oh|oo|ou|wu|eu|yo|yu|ye|wa|oe|oi|we|wo|wi|ui|ee|yi|[aeiou])(ng|[kgnlmpbt]|)$/

// Family names that are not spelt by rule.
// biome-ignore format: a table is read by column
const irregular: Readonly<Record<string, string>> = {
  lee: 'i', rhee: 'i', ree: 'i', yi: 'i', li: 'i', ri: 'i', park: 'PaK', pak: 'PaK', bak: 'PaK', choi: 'Coe', choe: 'Coe', ahn: 'aN', hur: 'Hv', huh: 'Hv', suh: 'Sv',
  koh: 'Ko', noh: 'No', roh: 'No', ro: 'No', sohn: 'SoN', oh: 'o', woo: 'u', wu: 'u', kwun: 'KwvN', paik: 'PeK', chough: 'Co', cho: 'Co', jo: 'Co', yum: 'yvM', ryom: 'yvM',
}

/** Family names in the spellings of North and South. */
const surnames: ReadonlySet<string> = new Set(
  `kim gim lee yi ri li rhee park pak bak choi choe jung jeong jong chung chong kang gang cho jo yoon yun jang chang lim im rim yim han oh o seo so
  suh shin sin kwon gwon hwang ahn an song ryu yoo yu ryoo hong jeon jon chun chon ko koh go moon mun son sohn yang ryang bae pae baek paek paik
  heo ho huh hur no noh ro roh nam sim shim ha kwak gwak sung song cha chu joo ju woo u koo ku goo gu min jin na ra om eom um won cheon bang pang
  kong gong hyon hyun hyeon ham byun pyon byeon yom yeom chae choo do to so seok sok sol seol ma kil gil yon yeon wi pyo myong ki gi ban pan wang
  kum keum ok yuk ryuk in maeng je mo nang tak thae tae guk kuk o hwangbo namgung`
    .trim()
    .split(/\s+/),
)

const maxSyllables = 3
const maxKeys = 12
const known = new Map<string, readonly string[]>()

/** Lists the rough Korean syllables that a Latin word of one to three syllables can stand for; none for any other. */
export function koreanKeys(word: string): readonly string[] {
  const cached = known.get(word)
  if (cached) return cached
  const keys = irregular[word] ? [irregular[word]] : keysOf(word, maxSyllables)
  if (known.size < 20_000) known.set(word, keys)
  return keys
}

function keysOf(word: string, max: number): string[] {
  if (word === '') return ['']
  if (max === 0 || word.length > 18) return []
  const keys = new Set<string>()
  // Chongun is chong-un and chon-gun.
  for (let length = Math.min(6, word.length); length > 0; length--) {
    const heads = syllableKeys(word.slice(0, length))
    if (heads.length === 0) continue
    for (const rest of keysOf(word.slice(length), max - 1))
      for (const head of heads) keys.add(head + (rest && `-${rest}`))
    if (keys.size >= maxKeys) break
  }
  return [...keys].slice(0, maxKeys)
}

function syllableKeys(text: string): string[] {
  const [, initial, vowel, final] = syllable.exec(text) ?? []
  if (initial === undefined || vowel === undefined || final === undefined) return []
  const begin = initials[initial] ?? ''
  const end = finals[final] ?? ''
  return (vowels[vowel] ?? '').split(' ').flatMap((middle) => {
    if (begin !== 'R') return [`${begin}${middle}${end}`]
    // The South drops or softens an initial r: Ryu is Yu, and Ro is No.
    return /^[iy]/.test(middle) ? [`${middle}${end}`] : [`R${middle}${end}`, `N${middle}${end}`]
  })
}

/** True for two to four words of Korean syllables with a family name at one end. */
export function isKoreanName(words: readonly string[]): boolean {
  if (words.length < 2 || words.length > 4) return false
  const hasSurname = surnames.has(words[0] ?? '') || surnames.has(words.at(-1) ?? '')
  return hasSurname && words.every((word) => koreanKeys(word).length > 0)
}

// The jamo of a Hangul syllable in Revised Romanization, without the changes between syllables.
const leads = 'g kk n d tt r m b pp s ss - j jj ch k t p h'.split(' ')
const middles = 'a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i'.split(' ')
const ends = '- k k k n n n t l k m l l l p l m p p t t ng t t k t p t'.split(' ')

/** Spells Hangul in Latin letters, each syllable as a word of its own. */
export function spellHangul(text: string): string {
  return text.replaceAll(/[가-힣]/g, (character) => {
    const code = character.charCodeAt(0) - 0xac00
    const [lead, middle, end] = [leads[Math.floor(code / 588)], middles[Math.floor((code % 588) / 28)], ends[code % 28]]
    const spelt = `${lead}${middle}${end}`.replaceAll('-', '')
    // A vowel alone would be an initial.
    return ` ${{ i: 'yi', o: 'oh', u: 'woo', e: 'eh', a: 'ah' }[spelt] ?? spelt} `
  })
}
