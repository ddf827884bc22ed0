import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** A quoted or template string of a source file. Each `${…}` of a template is shown as one `□`. */
export type StringText = { at: number; text: string }

/** A source file taken apart. `code` and `comments` are as long as `text`, with everything else blanked out. */
export type SourceFile = { path: string; text: string; code: string; comments: string; strings: readonly StringText[] }

/** Something that breaks a rule. `key` is what a list of exceptions names: the path, or the path and a name in it. */
export type Violation = { key: string; path: string; line: number; problem: string }

export const repositoryFolder = path.join(import.meta.dirname, '..', '..', '..')

/** Every file that belongs to the repository, committed or about to be. */
export function listRepository(): string[] {
  const isOurs = (file: string) => !/(^|\/)(node_modules|\.git|\.svc|coverage)(\/|$)/.test(file)
  try {
    const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
    const listed = execFileSync('git', args, { cwd: repositoryFolder, encoding: 'utf8', stdio: 'pipe' })
    return [...new Set(listed.split('\0'))].filter((file) => file !== '' && isOurs(file))
  } catch {
    // An unpacked archive has no history to ask.
    const found = readdirSync(repositoryFolder, { recursive: true, withFileTypes: true })
    const files = found.filter((entry) => entry.isFile())
    return files.map((entry) => path.relative(repositoryFolder, path.join(entry.parentPath, entry.name))).filter(isOurs)
  }
}

/** The text of a file; undefined when it was deleted meanwhile or is not text. */
export function readText(file: string): string | undefined {
  const full = path.join(repositoryFolder, file)
  const text = existsSync(full) ? readFileSync(full, 'utf8') : '\0'
  return text.includes('\0') ? undefined : text
}

const regexMayFollow = /(?:^|[(,=:[!&|?{};+*%<>~^-]|\b(?:return|typeof|case|in|of|await|throw))$/

function regexMayStart(code: readonly string[], at: number): boolean {
  const before = code.slice(Math.max(0, at - 200), at).join('')
  return regexMayFollow.test(before.trimEnd())
}

/** The end of a JSX element, which looks like the beginning of a regular expression: `</p>`, `<br />`. */
function isTagEnd(path: string, text: string, at: number): boolean {
  return path.endsWith('.tsx') && (text[at - 1] === '<' || text[at + 1] === '>')
}

/** Takes a TypeScript file apart into code, comments and strings. Good for formatted code, not a whole parser. */
export function readSource(path: string, text: string): SourceFile {
  const blank = text.replace(/[^\n]/g, ' ')
  const code = blank.split('')
  const comments = blank.split('')
  const strings: StringText[] = []

  const keepCode = (at: number) => {
    code[at] = text[at]!
  }
  const skipComment = (at: number): number => {
    const close = text[at + 1] === '/' ? text.indexOf('\n', at) : text.indexOf('*/', at) + 2
    const end = close < at + 2 ? text.length : close
    for (let each = at; each < end; each++) comments[each] = text[each]!
    return end
  }
  const skipQuoted = (at: number): number => {
    const quoted = /^(['"])(?:\\[\s\S]|(?!\1)[^\\\n])*\1/.exec(text.slice(at))?.[0] ?? text[at]!
    strings.push({ at, text: quoted.slice(1, -1) })
    keepCode(at)
    keepCode(at + quoted.length - 1)
    return at + quoted.length
  }
  const skipTemplate = (start: number): number => {
    let said = ''
    let at = start + 1
    keepCode(start)
    while (at < text.length && text[at] !== '`') {
      if (text.startsWith('${', at)) {
        said += '□'
        at = readCode(at + 2, true)
      } else {
        const length = text[at] === '\\' ? 2 : 1
        said += text.slice(at, at + length)
        at += length
      }
    }
    strings.push({ at: start, text: said })
    if (at < text.length) keepCode(at)
    return at + 1
  }
  const readCode = (start: number, insideTemplate: boolean): number => {
    let depth = 0
    let at = start
    while (at < text.length) {
      const character = text[at]!
      if (character === '/' && (text[at + 1] === '/' || text[at + 1] === '*')) at = skipComment(at)
      else if (character === '"' || character === "'") at = skipQuoted(at)
      else if (character === '`') at = skipTemplate(at)
      else if (character === '/' && !isTagEnd(path, text, at) && regexMayStart(code, at)) {
        at += /^\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\/?/.exec(text.slice(at))?.[0].length ?? 1
      } else {
        if (insideTemplate && character === '}' && depth === 0) return at + 1
        if (character === '{') depth += 1
        if (character === '}') depth -= 1
        keepCode(at)
        at += 1
      }
    }
    return at
  }
  readCode(0, false)
  return { path, text, code: code.join(''), comments: comments.join(''), strings }
}

/** One `import` or `export … from`, static or dynamic; `target` is undefined when it is computed. */
export type Import = { line: number; target: string | undefined; isOurs: boolean; isTypeOnly: boolean }

/** Lists the imports of a file. Our own files are named from the root of the repository, the rest as written. */
export function importsOf(file: SourceFile): Import[] {
  const declarations = file.code.matchAll(
    /\b(?:(?:import|export)\b([\w\s{},*$]*?)\bfrom\s*|import\s*(?:\(\s*)?)(?=(['"`])|(?<=\()\S)/g,
  )
  return [...declarations].map((match) => {
    const [whole, clause = '', quote] = match
    const written = file.strings.find((each) => each.at === match.index + whole.length)?.text
    const isComputed = quote === undefined || written === undefined || written.includes('□')
    const isOurs = written?.startsWith('.') ?? false
    const target = isOurs ? path.posix.join(path.posix.dirname(file.path), written ?? '') : written
    const named = clause.replace(/[{}]/g, '').split(',')
    const isTypeOnly =
      /^\s*type\s/.test(clause) ||
      (clause.includes('{') && named.every((name) => name.trim() === '' || /^\s*type\s/.test(name)))
    const line = lineOf(file, match.index)
    return { line, target: isComputed ? undefined : target, isOurs, isTypeOnly }
  })
}

export function lineOf(file: { text: string }, at: number): number {
  return file.text.slice(0, at).split('\n').length
}

/** The name of the top-level function, constant or class that the place lies in. */
export function nameAround(file: SourceFile, at: number): string {
  const declarations = /^(?:export )?(?:abstract )?(?:async )?(?:function|const|let|class)\s*\*?\s*([\w$]+)/gm
  return [...file.code.slice(0, at).matchAll(declarations)].at(-1)?.[1] ?? ''
}

export function isTest(file: { path: string }): boolean {
  return file.path.endsWith('.test.ts')
}

export type Exceptions = Readonly<Record<string, string>>

/** Lets the named exceptions pass, and asks to remove those that nothing needs any more. */
export function except(violations: readonly Violation[], exceptions: Exceptions): Violation[] {
  const stale = Object.keys(exceptions).filter((key) => !violations.some((violation) => violation.key === key))
  return [
    ...violations.filter(({ key }) => !Object.hasOwn(exceptions, key)),
    ...stale.map((key) => ({
      key,
      path: key,
      line: 1,
      problem: 'needs its exception no longer: take it off the list',
    })),
  ]
}

/** Reasons that many statements share which name no organization. */
export const observer = 'a bank or chain knows its own transfer, and no organization'
export const everyone = 'one worker serves every organization; each row it takes says whose it is'
export const verifier = 'the operator checks the whole deployment, and is shown ids alone'
