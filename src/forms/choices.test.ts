import { expect, test } from 'vitest'
import { type CodedField, isKnownCode } from '../catalog/coded-fields.ts'
import { formChoices } from './choices.ts'

test.each(Object.entries(formChoices))('every choice of %s is a known code of the API', (field, codes) => {
  expect(codes.filter((code) => !isKnownCode(field as CodedField, code))).toEqual([])
})
