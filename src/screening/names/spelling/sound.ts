// Makes spellings of one sound equal, longer ones first. A capital stands for a sound of two letters.
const spellings: readonly (readonly [RegExp, string])[] = [
  [/ou(?=[aei])/g, 'w'],
  [/oh$/g, 'o'],
  [/sht?ch|schtsch|stsch/g, 'SC'],
  [/tsch|tch|tsh/g, 'C'],
  [/sch|sh/g, 'S'],
  [/dzh|dsch|dj|zh/g, 'J'],
  [/kh|ch(?=[rl])/g, 'h'],
  [/ch/g, 'C'],
  [/ph|ff$/g, 'f'],
  [/gh|gu(?=[ei])/g, 'g'],
  [/th/g, 't'],
  [/dh/g, 'd'],
  [/ck|q[uv]?|c(?![eiyhz])/g, 'k'],
  [/ts|tz|cz/g, 'Z'],
  [/c/g, 's'],
  [/x/g, 'ks'],
  [/w/g, 'v'],
  [/j+(?=j)/g, ''],
  [/^j|(?<=[aeiou])j(?=[a-z])/g, 'J'],
  [/ou|oo|oe|ue/g, 'u'],
  [/[yj]/g, 'i'],
  [/ae|ai|ei|ee|ie$|ii/g, 'i'],
  [/^ie/g, 'i'],
  [/e/g, 'i'],
  [/o/g, 'u'],
  [/f$/g, 'v'],
  [/(?<=[^aiu])h$/g, ''],
  [/(.)\1+/g, '$1'],
]

const maxKnown = 50_000
const known = new Map<string, string>()

/** Reduces a Latin word to its rough sound: Yusuf, Youssef and Iusuf are one. */
export function soundOf(word: string): string {
  const sound = known.get(word) ?? findSound(word)
  if (known.size < maxKnown) known.set(word, sound)
  return sound
}

function findSound(word: string): string {
  const [first = ''] = word
  // A name of one or two letters is too short to lose any.
  if (word.length <= 2) return word.replace('y', 'i').replace(/^w/, 'v')
  return spellings.reduce((sound, [spelling, letter]) => sound.replace(spelling, letter), word) || first
}

// Sounds that one Arabic letter can have, by region, made equal.
const likeSounds: Readonly<Record<string, string>> = { g: 'k', J: 'k', z: 'd', C: 'S', t: 's' }

/** Drops the letters that Arabic writes as vowels or not at all; an initial consonant stays. */
export function consonantSkeletonOf(sound: string): string {
  const begins = /^[aiu]/.test(sound) ? '' : sound.slice(0, 1)
  // soundOf made a final f a v, so that -off equals -ov.
  const rest = sound
    .slice(1)
    .replace(/v$/, 'f')
    .replaceAll(/[aiuv]/g, '')
    .replace(/h$/, '')
  return (begins + rest).replaceAll(/[gJzCt]/g, (sound) => likeSounds[sound] ?? sound).replaceAll(/(.)\1+/g, '$1')
}
