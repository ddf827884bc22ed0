// Letters of other scripts that look like a Latin one. Capitals differ from small letters: В looks like B, в does not.
// biome-ignore format: a table is read by column
const latinOf: Readonly<Record<string, string>> = {
  а: 'a', е: 'e', о: 'o', р: 'p', с: 'c', у: 'y', х: 'x', і: 'i', ј: 'j', ѕ: 's', һ: 'h', ԁ: 'd', ԛ: 'q', ԝ: 'w', ӏ: 'l', к: 'k', м: 'm', т: 't', в: 'b', н: 'h',
  А: 'A', В: 'B', Е: 'E', К: 'K', М: 'M', Н: 'H', О: 'O', Р: 'P', С: 'C', Т: 'T', У: 'Y', Х: 'X', І: 'I', Ј: 'J', Ѕ: 'S', З: 'E',
  α: 'a', ε: 'e', ι: 'i', κ: 'k', ν: 'v', ο: 'o', ρ: 'p', τ: 't', υ: 'u', χ: 'x', ω: 'w', γ: 'y', η: 'n',
  Α: 'A', Β: 'B', Ε: 'E', Ζ: 'Z', Η: 'H', Ι: 'I', Κ: 'K', Μ: 'M', Ν: 'N', Ο: 'O', Ρ: 'P', Τ: 'T', Υ: 'Y', Χ: 'X',
  ѵ: 'v', օ: 'o', ս: 'u', ո: 'n', հ: 'h', ց: 'g', զ: 'q', ա: 'w', ɑ: 'a', ɡ: 'g', ɩ: 'i', ʏ: 'y', ꞵ: 'b', ᴀ: 'a', ʙ: 'b', ᴄ: 'c', ᴅ: 'd', ᴇ: 'e', ᴊ: 'j',
  ᴋ: 'k', ʟ: 'l', ᴍ: 'm', ɴ: 'n', ᴏ: 'o', ᴘ: 'p', ʀ: 'r', ꜱ: 's', ᴛ: 't', ᴜ: 'u', ᴠ: 'v', ᴡ: 'w', ᴢ: 'z', ɪ: 'i', ʜ: 'h', ɢ: 'g',
}
const digitLetters: Readonly<Record<string, string>> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't', 8: 'b' }

const invisible = /[\p{Cf}\p{Cc}\p{Co}\p{Cs}\u115f\u1160\u3164\uffa0]/gu
const hasLatin = /\p{Script=Latin}/u
const hasOther =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]|[\u0250-\u02af\u1d00-\u1d7f\ua7b5\ua731]/u
const word = /[\p{L}\p{M}\p{N}]+/gu

/** Removes invisible characters, and puts Latin letters for those that look like them in words with Latin letters. */
export function unmask(name: string): string {
  const visible = name
    .replaceAll(/[\t\n\r]/g, ' ')
    .replaceAll(invisible, '')
    .normalize('NFKC')
  if (!hasLatin.test(visible) || !hasOther.test(visible)) return visible
  return visible.replaceAll(word, (each) => (isMixed(each) ? latinize(each) : each))
}

/** True for a word of several scripts. In a Latin name, also for a word that other letters wholly imitate. */
function isMixed(text: string): boolean {
  if (!hasOther.test(text)) return false
  return hasLatin.test(text) || Array.from(text).every((letter) => latinOf[letter] !== undefined)
}

/** Puts Latin letters for all that look like them. */
export function latinize(text: string): string {
  return Array.from(text, (letter) => latinOf[letter] ?? letter).join('')
}

/** Puts letters for digits inside a word of letters: no person has a digit in a name. */
export function readDigits(text: string): string {
  if (!/\p{L}/u.test(text) || !/\d/.test(text)) return text
  return text.replaceAll(/\d/g, (digit) => digitLetters[digit] ?? digit)
}
