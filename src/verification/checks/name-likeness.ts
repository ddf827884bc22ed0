// Letters that Unicode does not take apart into a base letter and a mark.
// biome-ignore format: a table is read by column
const plainLetters: Readonly<Record<string, string>> = {
  ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ħ: 'h', ı: 'i', ŧ: 't',
}

/** The words of a name without case, accents, apostrophes and hyphens. */
export function wordsOf(name: string): string[] {
  return name
    .normalize('NFKD')
    .replaceAll(/[\p{M}'’ʼ`´.]/gu, '')
    .toLowerCase()
    .replaceAll(/[ßæœøłđðþħıŧ]/gu, (letter) => plainLetters[letter] ?? letter)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}

/** The same word, an initial, a part of the other, or a slip of the finger away. */
export function areAlike(one: string, other: string): boolean {
  const [short = '', long = ''] = one.length < other.length ? [one, other] : [other, one]
  if (short === '') return false
  if (long.startsWith(short) || (short.length >= 4 && long.includes(short))) return true
  const allowed = short.length >= 7 ? 2 : short.length >= 4 ? 1 : 0
  return allowed > 0 && editDistance(short, long) <= allowed
}

/** In how many letters two words differ: put in, left out or exchanged. */
export function editDistance(one: string, other: string): number {
  let before = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    for (let column = 1; column <= other.length; column++) {
      const exchanged = (before[column - 1] ?? 0) + (one[row - 1] === other[column - 1] ? 0 : 1)
      current.push(Math.min(exchanged, (before[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    before = current
  }
  return before[other.length] ?? 0
}

/** Whether two names can be compared letter by letter: both are in Latin script, or neither is. */
export function areInOneScript(one: readonly string[], other: readonly string[]): boolean {
  const isLatin = (words: readonly string[]) => words.some((word) => /\p{Script=Latin}/u.test(word))
  return isLatin(one) === isLatin(other)
}

export function haveAlikeWords(one: readonly string[], other: readonly string[]): boolean {
  return one.some((word) => other.some((each) => areAlike(word, each)))
}
