import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { accountKinds } from '../../src/ledger/account.ts'
import { ledgerChecks } from '../../src/ledger/check-store.ts'

const text = readFileSync(path.join(import.meta.dirname, '..', '..', 'docs', 'money.md'), 'utf8')
const rows = text
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )

test('docs/money.md lists exactly the ledger accounts', () => {
  const listed = rows.filter(([, side]) => side === 'credit' || side === 'debit')
  expect(listed).toEqual(
    Object.entries(accountKinds).map(([kind, { side, per, holds }]) => [`\`${kind}\``, side, per, holds]),
  )
})

test('docs/money.md and docs/operating.md list every invariant', () => {
  const names = ledgerChecks.map(({ name }) => name)
  const listed = rows.map(([name = '']) => name).filter((name) => names.includes(name))
  expect(listed).toEqual(names)
  const operating = readFileSync(path.join(import.meta.dirname, '..', '..', 'docs', 'operating.md'), 'utf8')
  for (const name of names) expect(operating).toContain(`ok           ${name}\n`)
})
