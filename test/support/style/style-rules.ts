import { functionLengths } from './function-lengths.ts'
import { importsOf, isTest, lineOf, type SourceFile, type Violation } from './source-tree.ts'

export type StyleRule = (files: readonly SourceFile[]) => Violation[]

const longestFunction = 70
// Their long functions are lists of declarations, one entry after another.
const declarationFiles = ['routes.ts', 'operations.ts', 'wire.ts']

/** Finds a pattern in the code, the comments or the whole text of each file. */
export function forbid(
  part: 'code' | 'comments' | 'text',
  pattern: RegExp,
  instead: string,
  applies: (file: SourceFile) => boolean = () => true,
): StyleRule {
  return (files) =>
    files.filter(applies).flatMap((file) =>
      [...file[part].matchAll(pattern)].map((match) => ({
        key: file.path,
        path: file.path,
        line: lineOf(file, match.index),
        problem: `has "${match[0].trim()}": ${instead}`,
      })),
    )
}

function countLines(text: string): number {
  return text.replace(/\n$/, '').split('\n').length
}

export function filesOver(most: number, instead: string): StyleRule {
  return (files) =>
    files.flatMap(({ path, text }) => {
      const lines = countLines(text)
      return lines > most ? [{ key: path, path, line: lines, problem: `has ${lines} lines: ${instead}` }] : []
    })
}

export const longFunctions: StyleRule = (files) =>
  files
    .filter((file) => !declarationFiles.includes(file.path.split('/').at(-1) ?? ''))
    .flatMap((file) =>
      functionLengths(file)
        .filter(({ lines }) => lines > longestFunction)
        .map(({ name, line, lines }) => {
          const problem = `${name} has ${lines} lines and no longer fits a screen (${longestFunction}): name its steps`
          return { key: file.path, path: file.path, line, problem }
        }),
    )

export const defaultExports = forbid('code', /\bexport default\b|\bas default\b/g, 'export it by its name')

export const barrelFiles: StyleRule = (files) =>
  files.flatMap((file) => {
    const rest = file.code.replace(/\b(?:import|export)\b[\w\s{},*$]*\bfrom\s*['"]\s*['"]/g, '').trim()
    const isBarrel = rest === '' && /\bexport\b/.test(file.code) && importsOf(file).length > 0
    const problem = 'only passes on what others export: import from the file that declares it'
    return isBarrel ? [{ key: file.path, path: file.path, line: 1, problem }] : []
  })

const emptyWords = /^(?:managers?|helpers?|utils?|impls?)$/i

/** Names that say nothing, such as manager or helper. */
export const emptyNames: StyleRule = (files) =>
  files.flatMap((file) => {
    const fileName = file.path.split('/').slice(1).join('/')
    const declared =
      /\bexport (?:declare |abstract |async )*(?:function\s*\*?|const|let|class|type|interface|enum) *([\w$]+)/g
    const listed = /\bexport (?:type )?\{([^}]*)\}/g
    const names = [
      { name: fileName, at: 0 },
      ...[...file.code.matchAll(declared)].map((match) => ({ name: match[1] ?? '', at: match.index })),
      ...[...file.code.matchAll(listed)].map((match) => ({ name: match[1] ?? '', at: match.index })),
    ]
    return names
      .filter(({ name }) => wordsOf(name).some((word) => emptyWords.test(word)))
      .map(({ name, at }) => {
        const problem = `is called ${name.trim()}: name it after what it does, in the contract's words`
        return { key: file.path, path: file.path, line: lineOf(file, at), problem }
      })
  })

/** `makeRateTable` is make, Rate, Table. */
function wordsOf(name: string): string[] {
  return name.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/)
}

const moneyWord = /^(?:amounts?|fees?|rates?|balances?)$/i

/** No JS number ever holds money or a rate. */
export const moneyAsNumber: StyleRule = (files) =>
  files.flatMap((file) => {
    const calls = file.code.matchAll(
      /\b(?:Number(?:\.parse(?:Float|Int))?|parseFloat|parseInt)\(([^\n]*)|.*\.toFixed\(/g,
    )
    return [...calls]
      .filter((match) =>
        wordsOf((match[1] ?? match[0]).replaceAll(/rateLimit/gi, '')).some((word) => moneyWord.test(word)),
      )
      .map((match) => {
        const problem = 'turns money or a rate into a JS number: use bigint units and the functions of src/lib/money.ts'
        return { key: file.path, path: file.path, line: lineOf(file, match.index), problem }
      })
  })

/** Finds leftovers of debugging and unfinished work. An exception names the file and the word. */
export const leftovers: StyleRule = (files) =>
  leftoverRules
    .flatMap((rule) => rule(files))
    .map((each) => ({ ...each, key: `${each.path} ${/"(.*)"/.exec(each.problem)?.[1]}` }))

const leftoverRules = [
  forbid('code', /\b(?:test|it|describe|suite|bench)\.(?:only|skip|todo)\b|\.(?:only|skip)\(/g, 'let every test run'),
  forbid('comments', /\b(?:TODO|FIXME|XXX|HACK)\b/g, 'do it now, or write it down in docs/gaps.md'),
  forbid('comments', /@ts-(?:ignore|expect-error|nocheck)\b/g, 'mend the type'),
  forbid('comments', /\beslint-disable\b/g, 'Biome lints here'),
  forbid('comments', /\bbiome-ignore\b(?!(?:-all|-start|-end)? [\w/]+: \S.{9,})/g, 'say why after a colon'),
  forbid('code', /(?<![.\w$-])any\b(?!\s*[(:?-])/g, 'say what it is, or "unknown"'),
]

export const randomNumbers = forbid('code', /\bMath\s*\.\s*random\b/g, 'use node:crypto, or newId of src/lib/ids.ts')

export const hastyWaits = forbid(
  'code',
  /\bvi\s*\.\s*wait(?:For|Until)\b/g,
  'a second is nothing on a busy machine: use eventually of test/support/runner/eventually.ts, or expect.poll',
  (file) => file.path !== 'test/support/runner/eventually.ts',
)

const speakers = /^src\/(?:main\.ts$|commands\/)/
export const consoleCalls = forbid(
  'code',
  /\bconsole\s*\.\s*\w+/g,
  'use the logger you are given; only main.ts and commands/ talk to the terminal',
  (file) => file.path.startsWith('src/') && !speakers.test(file.path),
)

const settingsReaders = ['src/config.ts', 'src/main.ts']
export const environmentReads = forbid(
  'code',
  /\bprocess\s*\??\.\s*env\b|\bprocess\[|\benv\b[^{}=\n]*\}\s*=\s*process\b/g,
  'settings come from src/config.ts, as arguments',
  (file) => file.path.startsWith('src/') && !settingsReaders.includes(file.path) && !isTest(file),
)

/** Pure files read no clock: `now` is an argument. */
export function clockReads(isPure: (file: SourceFile) => boolean): StyleRule {
  const clock = /\bDate\.now\b|\bnew Date(?:\(\s*\)|(?!\s*\())|(?<!new )\bDate\(|\bperformance\.now\b|\bhrtime\b/g
  return forbid('code', clock, 'pure files read no clock, take "now" as an argument', isPure)
}

/** A path of a developer's machine; "you" and "user" are placeholders, which documents need. */
export const machinePaths = forbid(
  'text',
  /(?<![\w.~)}*-])\/(?:(?:work|root)\/|(?:home|Users)\/(?!(?:you|user)\b)[A-Za-z][\w-]*)/g,
  'other machines do not have this folder; use a path relative to the file or to the data folder',
)

/** Tools that write text leave their names behind. Spelt so that this file does not find itself. */
export const toolNames = forbid(
  'text',
  /\b(?:c[l]aude|anth[r]opic|chat[g]pt|open[a]i|cop[i]lot|co[d]ex)\b|co-auth[o]red-by:|gener[a]ted (?:with|by) (?:ai|an? (?:ai|llm))\b/gi,
  'say what is true of the product, not what it was written with',
)
