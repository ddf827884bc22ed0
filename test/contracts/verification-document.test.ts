import { expect, test } from 'vitest'
import {
  describeIssue,
  type IssueCode,
  issueCodes,
  verificationIssues,
} from '../../src/catalog/issues/verification-issues.ts'
import { customerMoves } from '../../src/customers/customer.ts'
import { readText } from '../support/style/source-tree.ts'

/** Compares docs/verification.md, which integrators build on, with the code. */
const page = readText('docs/verification.md') ?? ''

/** The text below a heading, up to the next one. */
function sectionOf(title: string): string {
  const [, section = ''] = page.split(`\n## ${title}\n`)
  return section.split('\n## ')[0] ?? ''
}

/** The cells of each row of the first table in a text, without its two header lines. */
function tableRows(text: string): string[][] {
  const lines = text.split('\n').filter((line) => line.startsWith('| ') || line.startsWith('|-'))
  return lines.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  )
}

const codesIn = (cell: string | undefined) => [...(cell ?? '').matchAll(/`([A-Z_]+)`/g)].map(([, code]) => code ?? '')

test('the table of issue codes equals the catalog, row by row', () => {
  const expected = verificationIssues.map(({ code, category, message, leadsTo, raisedBy }) => [
    `\`${code}\``,
    category,
    message,
    leadsTo,
    raisedBy.join(', '),
  ])
  expect(expected).toHaveLength(60)
  expect(tableRows(sectionOf('The issue codes'))).toEqual(expected)
})

test('the diagram shows the transitions of a customer, who begins as CREATED', () => {
  const [, diagram = ''] = /```mermaid\nstateDiagram-v2\n([\s\S]*?)```/.exec(sectionOf('The life of a customer')) ?? []
  const moves = Object.entries(customerMoves).flatMap(([name, { from, to }]) =>
    from.map((start) => `${start} --> ${to}: ${name}`),
  )
  const arrows = diagram.trim().split(/\n\s*/)
  expect(arrows.toSorted()).toEqual(['[*] --> CREATED', ...moves].toSorted())
})

test('the page names the actor of every transition', () => {
  const rows = tableRows(sectionOf('The life of a customer'))
  expect(rows.map(([move]) => move)).toEqual(Object.keys(customerMoves).map((name) => `\`${name}\``))
})

const checks = tableRows(sectionOf('What is checked')).map(([check, , asks, review, files]) => ({
  check,
  codes: [...codesIn(asks), ...codesIn(review)],
  reviewerDecides: codesIn(review),
  text: [...(files ?? '').matchAll(/`([\w./-]+)`/g)].map(([, file]) => readText(`src/verification/${file}`)).join('\n'),
}))

test.each(checks)('$check: its file raises the codes that the page names', ({ codes, text }) => {
  expect(codes.length).toBeGreaterThan(0)
  expect(codes.filter((code) => !text.includes(`'${code}'`))).toEqual([])
})

test('the page and the built-in engine raise the same codes', () => {
  const raised = issueCodes.filter((code) => describeIssue(code).raisedBy.includes('engine'))
  expect([...new Set(checks.flatMap(({ codes }) => codes))].toSorted()).toEqual(raised.toSorted())
})

test('a code leads our checks where the catalog says', () => {
  const placed = checks.flatMap(({ reviewerDecides, codes }) =>
    codes.map((code) => [code, reviewerDecides.includes(code) ? 'review' : 'information']),
  )
  expect(placed).toEqual(placed.map(([code]) => [code, describeIssue(code as IssueCode).leadsTo]))
})
