import type pg from 'pg'
import { functionOwners } from './function-uses.ts'
import { layerOf } from './import-rules.ts'
import { type Exceptions, except, lineOf, type SourceFile, type Violation } from './source-tree.ts'
import { tables } from './table-owners.ts'

type Verb = 'writes' | 'reads' | 'calls'
type Use = { at: number; verb: Verb; name: string }

const writing =
  /\b(?:insert\s+into|(?<!\bfor\s+)(?<!\bkey\s+)update|delete\s+from|merge\s+into|copy|(?:alter|drop|create)\s+table(?:\s+if\s+(?:not\s+)?exists)?)\s+(?:only\s+)?$/i
const truncating = /\btruncate\b[^;]*$/i

/** Every table that SQL text names with its schema, and every function that it calls. */
function usesIn(written: string): Use[] {
  const sql = written.replace(/--[^\n]*/g, (comment) => ' '.repeat(comment.length)).replaceAll('"', ' ')
  return [...sql.matchAll(/\bsvc\s*\.\s*(\w+)(\s*\()?/gi)].map((match) => {
    const [, name = '', bracket] = match
    const before = sql.slice(0, match.index)
    const isWrite = writing.test(before) || truncating.test(before)
    const isCall = bracket !== undefined && !isWrite && Object.hasOwn(functionOwners, name)
    return { at: match.index, verb: isWrite ? 'writes' : isCall ? 'calls' : 'reads', name }
  })
}

/** The uses of what belongs to another than `user`. Every folder may call the functions of db. */
function foreignUses(user: string, uses: readonly Use[]): (Use & { owner: string })[] {
  return uses.flatMap((use) => {
    const owner = use.verb === 'calls' ? functionOwners[use.name] : tables[use.name]?.owner
    const isOpen = use.verb === 'calls' && owner === 'db'
    return owner === undefined || owner === user || isOpen ? [] : [{ ...use, owner }]
  })
}

const adviceOn = (verb: Verb, owner: string) =>
  verb === 'writes'
    ? `let ${owner} write it`
    : `ask ${owner} for it, or list the reason in test/support/style/table-owners.ts`

/** The uses in the statements of a file. A file that declares a work table claims its rows, and so writes it. */
function usesOf(file: SourceFile): Use[] {
  return file.strings.flatMap(({ at, text }) => {
    const isWorkTable = /\btable:\s*$/.test(file.code.slice(0, at))
    return usesIn(text).map((use) => ({ ...use, at, verb: isWorkTable ? 'writes' : use.verb }))
  })
}

/** Finds what a folder of src does with the tables and functions of another; `verbs` says what is looked for. */
export function foreignUsesInSource(files: readonly SourceFile[], verbs: readonly Verb[]): Violation[] {
  return files.flatMap((file) =>
    foreignUses(layerOf(file.path), usesOf(file))
      .filter(({ verb }) => verbs.includes(verb))
      .map(({ at, verb, name, owner }) => ({
        // A read is listed for the whole folder, a write for the one file that may do it.
        key: `${verb === 'writes' ? file.path : layerOf(file.path)} ${verb} ${name}`,
        path: file.path,
        line: lineOf(file, at),
        problem: `${verb} svc.${name}, which belongs to ${owner}: ${adviceOn(verb, owner)}`,
      })),
  )
}

type SqlFunction = { name: string; body: string }

async function readFunctions(client: pg.Client): Promise<SqlFunction[]> {
  const { rows } = await client.query<SqlFunction>(
    `select proname as name, pg_get_functiondef(oid) as body from pg_proc
      where pronamespace = 'svc'::regnamespace and prokind in ('f', 'p') order by proname`,
  )
  return rows
}

/** Every table and function of the schema has one owner, and nothing else has. */
export async function ownerless(client: pg.Client, folders: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'svc'::regnamespace and relkind in ('r', 'p', 'v', 'm')`,
  )
  const functions = new Set((await readFunctions(client)).map(({ name }) => name))
  const place = 'test/support/style/table-owners.ts'
  const compare = (kind: string, found: readonly string[], owned: readonly string[]) => [
    ...found
      .filter((name) => !owned.includes(name))
      .map((name) => `the ${kind} svc.${name} has no owner: add it to ${place}`),
    ...owned
      .filter((name) => !found.includes(name))
      .map((name) => `the ${kind} svc.${name} is gone: take it off ${place}`),
  ]
  const owners = [...Object.values(tables).map(({ owner }) => owner), ...Object.values(functionOwners)]
  return [
    ...compare(
      'table',
      rows.map(({ name }) => name),
      Object.keys(tables),
    ),
    ...compare('function', [...functions], Object.keys(functionOwners)),
    ...new Set(owners.filter((owner) => !folders.includes(owner)).map((owner) => `${owner} is no folder of src`)),
  ]
}

/** A SQL function writes the tables of its owner alone. What it reads or calls of others is listed. */
export async function foreignUsesInFunctions(client: pg.Client, exceptions: Exceptions): Promise<string[]> {
  const found = (await readFunctions(client)).flatMap(({ name, body }) =>
    foreignUses(functionOwners[name] ?? '', usesIn(body)).map((use) => {
      const problem = `svc.${name} ${use.verb} svc.${use.name}, which belongs to ${use.owner}: ${adviceOn(use.verb, use.owner)}`
      const user = use.verb === 'writes' ? name : functionOwners[name]
      return { key: `${user} ${use.verb} ${use.name}`, path: `svc.${name}`, line: 1, problem }
    }),
  )
  return except(found, exceptions).map(({ key, problem }) => `${key}: ${problem}`)
}
