import { arabicConsonants } from './scripts.ts'
import { consonantSkeletonOf } from './sound.ts'

/** A word in Arabic script: its consonants, and the sounds in Latin letters that it can stand for. */
export type ArabicWord = { skeleton: string; sounds: RegExp }

// biome-ignore format: a table is read by column
const vowels: Readonly<Record<string, string>> = { ا: 'ai', و: 'uv', ي: 'i', ی: 'i', ى: 'ai', ة: 'aiht' }
const silent = 'عءـ\u200c'

/** Reads a word. Arabic writes only long vowels, so the pattern allows short ones anywhere. Undefined if unreadable. */
export function readArabicWord(word: string): ArabicWord | undefined {
  const letters = Array.from(word.replace(/^ال(?=..)/, '')).filter((letter) => !silent.includes(letter))
  let consonants = ''
  let pattern = '^'
  // Neighbouring vowels make one sound: any of them matches.
  let pendingVowels = ''
  for (const [at, letter] of letters.entries()) {
    const consonant = at === 0 && letter === 'و' ? 'v' : arabicConsonants[letter]
    const vowel = at === 0 && letter === 'ا' ? 'aiu' : vowels[letter]
    if (consonant) {
      consonants += consonant
      const isOptional = consonant === 'h' && at === letters.length - 1
      pattern += `${vowelPattern(pendingVowels)}[aiu]*${consonant === 'f' ? '[fv]' : consonant}${isOptional ? '?' : ''}`
      pendingVowels = ''
    } else if (vowel) pendingVowels += vowel
    else return undefined
  }
  if (consonants === '') return undefined
  const begins = /^[ايی]/.test(letters[0] ?? '') || word.startsWith('ع') ? 'a' : ''
  const sounds = new RegExp(`${pattern}${vowelPattern(pendingVowels)}[aiu]*h?$`)
  return { skeleton: consonantSkeletonOf(begins + consonants), sounds }
}

function vowelPattern(pendingVowels: string): string {
  return pendingVowels === '' ? '' : `[aiuv]*[${pendingVowels}]`
}
