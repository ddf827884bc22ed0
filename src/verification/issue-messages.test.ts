import { expect, test } from 'vitest'
import type { IssueCode } from '../catalog/issues/verification-issues.ts'
import { messageOf } from './issue-messages.ts'

// biome-ignore format: a table, one line per message
const messages: [IssueCode, string, string][] = [
  ['ID_REQUIRES_ADDITIONAL_VERIFICATION', 'kycData.address.streetLine1', 'Please check the street and house number of the address: a post office box alone is not enough. Enter where you live or work, or upload a recent proof of the address.'],
  ['INCONSISTENT_DETAILS', 'kycData.documents[0].issuanceDate', 'Please check the date of issue of document 1: it does not fit the other dates.'],
  ['INCONSISTENT_INFORMATION', 'kybData.associatedPersons', 'Please check the shares of the people who own the business: together at most 100 %, all as percentages or all as fractions of one.'],
  ['INCONSISTENT_INFORMATION', 'kybData.conductsMoneyServicesThroughSvc', 'Please check the answers about money services: some contradict each other.'],
]

test.each(messages)('%s about %s tells what is wrong and what to do', (code, field, message) => {
  expect(messageOf(code, field)).toBe(message)
})
