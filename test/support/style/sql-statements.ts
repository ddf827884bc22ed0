import { lineOf, nameAround, type SourceFile, type Violation } from './source-tree.ts'

/** A statement as it stands in the source, without its string literals and quoted names. */
export type SqlStatement = { file: SourceFile; at: number; sql: string }

// "Select a country" is English: capitals count only where a whole statement is written in them.
const statementStart = [
  /^\s*\(?(?:select|SELECT)\s+(?:[^\n]*[(=]|\d|□|[\s\S]*?\b(?:from|FROM)\s)/,
  /^\s*(?:with|WITH)\s+(?:recursive\s+)?\w+\s*(?:\([^)]*\)\s*)?(?:as|AS)\s*(?:not\s+materialized\s*|materialized\s*)?\(/,
  /^\s*insert\s+into\s+\S+/i,
  /^\s*update\s+\S+\s+(?:as\s+\w+\s+)?set\s/i,
  /^\s*delete\s+from\s+\S+/i,
  /^\s*(?:truncate\s+(?:table|svc\.\w+)|lock\s+table|merge\s+into|create\s+(?:table|role|database|index)|alter\s+table|drop\s+table)\s/i,
]
const touchesSchema = /\b(?:from|join|into|update|table)\s+svc\.\w+/i

export function statementsOf(file: SourceFile): SqlStatement[] {
  return file.strings
    .filter(({ text }) => touchesSchema.test(text) || statementStart.some((start) => start.test(text)))
    .map(({ at, text }) => ({ file, at, sql: text.replace(/'(?:[^']|'')*'/g, "''").replace(/"[^"]*"/g, '""') }))
}

/** The key names the function, so that an exception covers no more than it was made for. */
function complain({ file, at }: SqlStatement, problem: string): Violation {
  const name = nameAround(file, at)
  return { key: `${file.path} ${name}`, path: file.path, line: lineOf(file, at), problem: `${name}: ${problem}` }
}

/** SQL lives in src/db and in the stores of a capability, so that a reader who looks for a table knows where. */
export function misplacedSql(files: readonly SourceFile[], capabilities: readonly string[]): Violation[] {
  const isHome = ({ path }: SourceFile) =>
    path.startsWith('src/db/') ||
    path === 'src/encryption/store.ts' ||
    /^src\/sandbox\/(inbox|bank\/\w+)\/store\.ts$/.test(path) ||
    (/[/-]store\.ts$/.test(path) && capabilities.includes(path.split('/')[1] ?? ''))
  const strays = files.filter((file) => !isHome(file)).flatMap(statementsOf)
  return strays.map((each) =>
    complain(each, 'holds SQL: move the statement to the store.ts of its capability, or to src/db'),
  )
}

const keywords =
  /\b(?:select|insert|into|update|delete|from|where|values|set|join|and|or|returning|order by|group by|limit|with|on conflict)\b/gi

/** Lower case, and columns by name. */
export function sqlStyle(files: readonly SourceFile[]): Violation[] {
  return files.flatMap(statementsOf).flatMap((statement) => {
    const shouted = statement.sql.match(keywords)?.find((word) => word !== word.toLowerCase())
    const star = /\b(?:select|returning)\s+(?:\w+\.)?\*/i.exec(statement.sql)?.[0]
    return [
      ...(shouted ? [complain(statement, `writes ${shouted}: SQL is written in lower case`)] : []),
      ...(star ? [complain(statement, `writes "${star}": name the columns`)] : []),
    ]
  })
}

const key = String.raw`(?:\w+\.)*organization_id\b`
const comparison = new RegExp(
  [
    String.raw`${key}\s*(?:=|in\s*\()`, // organization_id = $1, organization_id in (…)
    String.raw`=\s*${key}`, // $1 = organization_id
    String.raw`\(\s*${key}\s*,[^()]*\)\s*(?:=|in\b)`, // (organization_id, customer_id) = …
    String.raw`\busing\s*\(\s*organization_id\b`, // join … using (organization_id, customer_id)
  ].join('|'),
  'g',
)
const startsWithKey = new RegExp(String.raw`^where\s+[\s(]*${key}\s*[=,]|^where\s+[\s(]*${key}\s+in\b`)

/** Every statement on a table with an `organization_id` names the organization it is about. */
export function missingTenantFilter(files: readonly SourceFile[], tenantTables: ReadonlySet<string>): Violation[] {
  const statements = files.flatMap(statementsOf)
  return [
    ...statements.flatMap((statement) => {
      const problem = problemOfTenant(statement.sql.replace(/--[^\n]*/g, ''), tenantTables)
      return problem === undefined ? [] : [complain(statement, problem)]
    }),
    ...files.flatMap((file) => wrongWorkKeys(file, tenantTables)),
  ]
}

function problemOfTenant(sql: string, tenantTables: ReadonlySet<string>): string | undefined {
  if (/\b(?:from|join|(?<!for )update|into)\s+(?:svc\.)?□/i.test(sql)) {
    return 'computes the name of a table, so that no rule can see whose rows it touches: write the name out'
  }
  const named = [...sql.matchAll(/(\bfrom|\bjoin|\bupdate|\binto|\busing|,)\s+(?:only\s+)?svc\.(\w+)\b(?!\s*\.)/gi)]
  const touched = named.filter((match) => tenantTables.has(match[2] ?? ''))
  for (const match of touched.filter(([, verb]) => verb?.toLowerCase() === 'into')) {
    const columns = /^\s*(?:as\s+\w+\s*)?\(([^)]*)\)/.exec(sql.slice(match.index + match[0].length))?.[1] ?? ''
    if (!/\borganization_id\b/.test(columns))
      return `inserts into svc.${match[2]} without organization_id among its columns`
  }
  const read = touched.filter(([, verb]) => verb?.toLowerCase() !== 'into')
  for (const match of read.filter(([, verb]) => /^(?:from|update)$/i.test(verb ?? ''))) {
    const where = sql.slice(match.index).search(/\bwhere\b/)
    if (where === -1) return `reads or changes svc.${match[2]} of every organization: add "where organization_id = $1"`
    if (!startsWithKey.test(sql.slice(match.index + where))) {
      return `has a where on svc.${match[2]} that does not start with the organization: write "where organization_id = $1 and …"`
    }
  }
  const compared = sql.match(comparison)?.length ?? 0
  if (compared >= read.length) return undefined
  return `touches ${read.length} tenant tables but compares organization_id ${compared} times: join them by it as well`
}

/** Work is claimed by src/db/work.ts for every organization at once; the claimed row then says whose it is. */
function wrongWorkKeys(file: SourceFile, tenantTables: ReadonlySet<string>): Violation[] {
  const declared = [...file.text.matchAll(/\btable:\s*'svc\.(\w+)',\s*key:\s*\[\s*'(\w+)'/g)]
  return declared
    .filter(([, table, first]) => tenantTables.has(table ?? '') && first !== 'organization_id')
    .map((match) =>
      complain({ file, at: match.index, sql: '' }, `work on svc.${match[1]} is keyed by organization_id first`),
    )
}
