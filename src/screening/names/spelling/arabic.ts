import { arabicConsonants } from './scripts.ts'
import { bareSkeletonOf } from './sound.ts'

/** A word in Arabic script: its consonants, and the sounds in Latin letters that it can stand for. */
export type ArabicWord = { skeleton: string; sounds: RegExp }

// biome-ignore format: a table is read by column
const vowels: Readonly<Record<string, string>> = { ا: 'ai', و: 'uv', ي: 'i', ی: 'i', ى: 'ai', ة: 'aiht' }
const silent = 'عءـ\u200c'

/** Short vowels are not written, long ones are: a word stands for each sound that has those in the right places. */
export function readArabicWord(word: string): ArabicWord | undefined {
  const letters = Array.from(word.replace(/^ال(?=..)/, '')).filter((letter) => !silent.includes(letter))
  let consonants = ''
  let pattern = '^'
  // Neighbouring vowels melt into one sound: any of them will do.
  let melted = ''
  for (const [at, letter] of letters.entries()) {
    const consonant = at === 0 && letter === 'و' ? 'v' : arabicConsonants[letter]
    const vowel = at === 0 && letter === 'ا' ? 'aiu' : vowels[letter]
    if (consonant) {
      consonants += consonant
      const isFaint = consonant === 'h' && at === letters.length - 1
      pattern += `${vowelPattern(melted)}[aiu]*${consonant === 'f' ? '[fv]' : consonant}${isFaint ? '?' : ''}`
      melted = ''
    } else if (vowel) melted += vowel
    else return undefined
  }
  if (consonants === '') return undefined
  const begins = /^[ايی]/.test(letters[0] ?? '') || word.startsWith('ع') ? 'a' : ''
  const sounds = new RegExp(`${pattern}${vowelPattern(melted)}[aiu]*h?$`)
  return { skeleton: bareSkeletonOf(begins + consonants), sounds }
}

function vowelPattern(melted: string): string {
  return melted === '' ? '' : `[aiuv]*[${melted}]`
}
