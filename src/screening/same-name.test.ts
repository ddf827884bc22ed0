import { expect, test } from 'vitest'
import { isSameName } from './same-name.ts'

test.each([
  ['Ada Approve', 'ADA APPROVE'],
  ['Ada Approve', 'Approve, Ada'],
  ['Ada Approve', 'A. Approve'],
  ['Ada Approve', 'Dr. Ada Maria Approve'],
  ['Ada Approve', 'Ada Approve and Charles Approve'],
  ['Jürgen Müller', 'Juergen Mueller'],
  ['Jürgen Müller', 'JURGEN MULLER'],
  ['Søren Kjær', 'Soren Kjaer'],
  ['Владимир Кузнецов', 'Vladimir Kuznetsov'],
  ['Γιώργος Παπαδόπουλος', 'Giorgos Papadopoulos'],
  ['Acme Trading GmbH', 'ACME TRADING'],
  ['Acme Trading Ltd.', 'Acme Trading Limited'],
  ['Wolfgang Wolfeschlegelstein', 'Wolfgang Wolfeschle'],
  ['Xiaoping Deng', 'Deng Xiao Ping'],
  ['Katherine Miller', 'Catherine Miller'],
  ['Ada Approve', ''],
  ['', 'Bob Builder'],
  ['Ada Approve', '???'],
])('%j and %j can be the same', (one, other) => {
  expect([isSameName(one, other), isSameName(other, one)]).toEqual([true, true])
})

test.each([
  ['Ada Approve', 'Bob Builder'],
  ['Ada Approve', 'Ada Builder'],
  ['Ada Approve', 'Bob Approve'],
  ['Ada Approve', 'A. Builder'],
  ['Ada Approve', 'Acme Trading GmbH'],
  ['Acme Trading GmbH', 'Other Logistics GmbH'],
  ['Acme Trading GmbH', 'Acme Logistics GmbH'],
  ['Владимир Кузнецов', 'Ivan Petrov'],
  ['Ada Approve', 'A. B.'],
])('%j and %j are different', (one, other) => {
  expect([isSameName(one, other), isSameName(other, one)]).toEqual([false, false])
})
