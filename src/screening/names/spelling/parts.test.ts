import { expect, test } from 'vitest'
import { partsOfPerson } from './parts.ts'

const partsOf = (name: string) => partsOfPerson(name).map(({ text }) => text)

test('words of trade are left out of a name', () => {
  expect(partsOf('Igor Voroshkin Payment Services')).toEqual(['Igor Voroshkin'])
})

test.each(['Hong Min Su', 'An Su Min', 'Do Yong Chol'])('a Korean family name is no word of trade: %s', (name) => {
  expect(partsOf(name)).toEqual([])
})
