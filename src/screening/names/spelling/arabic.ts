import { arabicConsonants } from './scripts.ts'
import { consonantSkeletonOf } from './sound.ts'

/** A word in Arabic script: its consonants, and the sounds in Latin letters that it can stand for. */
export type ArabicWord = { skeleton: string; sounds: RegExp }

// biome-ignore format: a table is read by column
const vowels: Readonly<Record<string, string>> = { ا: 'ai', و: 'uv', ي: 'i', ی: 'i', ى: 'ai', ة: 'aiht', ے: 'i' }
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
    // A final y is also written for a: Mustafa, Morteza.
    const isFinal = at === letters.length - 1
    const vowel = at === 0 && letter === 'ا' ? 'aiu' : isFinal && /[يی]/.test(letter) ? 'ai' : vowels[letter]
    if (consonant) {
      // Two equal letters are written as one in Latin.
      const isDoubled = letter === letters[at - 1]
      const isOptional = isDoubled || (consonant === 'h' && isFinal)
      consonants += consonant[0]
      pattern += `${vowelPattern(pendingVowels)}[aiu]*[${consonant}]${isOptional ? '?' : ''}`
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
