import type { Word } from './pool.ts'

// As published lists spell, then as others do.
// biome-ignore format: a table is read by column
const letters: Readonly<Record<string, string>> = {
  а: 'a', б: 'b', в: 'v', г: 'g', д: 'd', е: 'e', ж: 'zh', з: 'z', и: 'i', й: 'i/y', к: 'k', л: 'l', м: 'm', н: 'n', о: 'o', п: 'p',
  р: 'r', с: 's', т: 't', у: 'u', ф: 'f', х: 'kh', ц: 'ts', ч: 'ch', ш: 'sh', щ: 'shch', ъ: '', ы: 'y', ь: '', э: 'e', ю: 'yu/iu', я: 'ya/ia',
}

/** Reads names in Cyrillic letters and spells each in Latin letters in two ways. */
export function fromCyrillic(text: string): Word[] {
  return text
    .trim()
    .split(/\s+/)
    .map((own) => ({ latin: [...new Set([spell(own, 0), spell(own, 1)])], own }))
}

function spell(own: string, way: number): string {
  const lower = own
    .toLowerCase()
    .replace(/и[яй]$/, (end) => (end === 'ий' ? ['y', 'iy'][way]! : ['ia', 'iya'][way]!))
    .replace(/ья/, ['ia', 'ya'][way]!)
    .replace(/ь(?=е)/, ['i', 'y'][way]!)
    .replace(/^е/, ['e', 'ye'][way]!)
  const latinOf = (letter: string) => {
    const [listed = '', other = listed] = (letters[letter] ?? letter).split('/')
    return way === 0 ? listed : other
  }
  const text = [...lower].map(latinOf).join('')
  return text[0]!.toUpperCase() + text.slice(1)
}

/** Makes the patronymic of a father's name, in Cyrillic and in Latin letters. */
export function patronymic(father: Word, isWoman: boolean): Word {
  const own = father.own ?? ''
  const stem = own.replace(/[ьйяа]$/, '').replace(/и$/, '')
  const isSoft = /[йья]$/.test(own)
  const [latinStem = ''] = father.latin
  const soft = latinStem.replace(/(?:iy|ii|ei|ai|ey|ia|ya|y|i)$/, (end) =>
    end === 'ei' || end === 'ey' ? 'e' : end === 'ai' ? 'a' : '',
  )
  const endings = isWoman ? ['ovna', 'evna', 'овна', 'евна'] : ['ovich', 'evich', 'ович', 'евич']
  return isSoft
    ? { latin: [soft + endings[1]], own: stem + endings[3] }
    : { latin: [latinStem.replace(/a$/, '') + endings[0]], own: own.replace(/а$/, '') + endings[2] }
}

/** The family name of a woman. */
export function feminine({ latin, own }: Word): Word {
  const turn = (text: string) =>
    /(?:ov|ev|in|ын|ов|ев|ин)$/.test(text) ? text + (/[a-z]$/.test(text) ? 'a' : 'а') : text
  return { latin: latin.map(turn), ...(own === undefined ? {} : { own: turn(own) }) }
}
