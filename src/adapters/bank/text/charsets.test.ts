import { expect, test } from 'vitest'
import { charsets, fitText, identifierProblem, nameProblem } from './charsets.ts'

// biome-ignore format: a table is read by column
test.each([
  ['José Müller-Łukasz',   'Jose Muller-Lukasz'],
  ['Søren Ærø Þór',        'Soren AEro Thor'],
  ['Straße & Söhne GmbH',  'Strasse + Sohne GmbH'],
  ['Γιώργος Παπάς',        'Giorgos Papas'],
  ['Дмитрий Щукин',        'Dmitrii Shchukin'],
  ['Кузьмин',              'Kuzmin'],
  ['Әйгерім Қасымқызы',    'Aigerim Kasymkyzy'],
  ['Өмүрбек Ңуржан Һ. Ғ.', 'Omurbek Nurzhan H. G.'],
  ['Ɓala Ɗan Ƙofa Ɛsi Ɔ',  'Bala Dan Kofa Esi O'],
  ['Kaʻiulani',            "Ka'iulani"],
  ['O’Brien “Bob”',        "O'Brien 'Bob'"],
  ['Ｆｕｌｌ ｗｉｄｔｈ',      'Full width'],
  ['ﬁnance №5',            'finance No5'],
  ['a\tb\n\nc',            'a b c'],
  ['José',           'Jose'],
  ['x_y; [z] 😀',          'x-y, (z) .'],
])('%s is written as %s in a SEPA file', (name, written) => {
  expect(fitText(name, 'sepa', 140)).toBe(written)
})

test('every character that leaves is in the set, for any character that arrives', () => {
  for (let code = 0; code < 0x30000; code += 7) {
    if (code >= 0xd800 && code < 0xe000) continue
    const text = fitText(`a${String.fromCodePoint(code)}b`, 'sepa', 140)
    if (![...text].every(charsets.sepa)) expect.fail(`U+${code.toString(16)} became ${text}`)
  }
})

test('free text is cut to the length of its field', () => {
  expect(fitText('ß'.repeat(30), 'nacha', 22)).toBe('s'.repeat(22))
  expect(fitText('ends in a space here', 'sepa', 8)).toBe('ends in')
})

test('a name that would lose a letter is refused', () => {
  expect(nameProblem('王小明', 'sepa')).toBe('has no letter that the format can carry')
  expect(nameProblem('王小明 X', 'sepa')).toBe('has letters that the format cannot carry')
  expect(nameProblem('राम Sharma', 'nacha')).toBe('has letters that the format cannot carry')
  expect(nameProblem('Wang Xiǎo', 'sepa')).toBeUndefined()
  expect(nameProblem('Әлия Қуанышқызы', 'sepa')).toBeUndefined()
  expect(nameProblem('Kaʻiulani Ɓala', 'nacha')).toBeUndefined()
  expect(nameProblem('...', 'sepa')).toBe('has no letter that the format can carry')
})

// biome-ignore format: a table is read by column
test.each([
  ['SVC23456789ABCD',  'sepa',  undefined],
  ['',                 'sepa',  'is missing'],
  ['A'.repeat(36),     'sepa',  'has more than 35 characters'],
  ['Ä1',               'sepa',  'has characters that the format cannot carry'],
  [' A1',              'nacha', 'has characters that the format cannot carry'],
  ['/A1',              'sepa',  'has slashes where the format allows none'],
  ['A//1',             'sepa',  'has slashes where the format allows none'],
  ['A//1',             'nacha', undefined],
] as const)('the identifier "%s" in the set %s: %s', (text, charset, problem) => {
  expect(identifierProblem(text, charset, 35)).toBe(problem)
})
