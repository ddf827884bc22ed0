import { lineOf, type SourceFile } from './source-tree.ts'

export type FunctionLength = { name: string; line: number; lines: number }

/** Functions, methods and arrow functions with their lengths, found by matching brackets in formatted code. */
export function functionLengths(file: SourceFile): FunctionLength[] {
  const { code } = file
  const measure = (name: string, start: number, open: number): FunctionLength => {
    const line = lineOf(file, start)
    return { name, line, lines: lineOf(file, closingOf(code, open)) - line + 1 }
  }
  const declared = [
    ...code.matchAll(/\bfunction\b\s*\*?\s*([\w$]*)[^(]*(?=\()/g),
    ...code.matchAll(/^[ \t]+(?:(?:async|static|get|set|override)\s+)*([#\w$]+)(?:<[^()]*>)?(?=\()/gm),
  ].flatMap((match) => {
    const body = bodyOf(code, closingOf(code, match.index + match[0].length) + 1)
    return body === undefined ? [] : [measure(match[1] || 'a function', match.index + match[0].search(/\S/), body)]
  })
  const arrows = [...code.matchAll(/=>\s*(?=[{([])/g)].flatMap((match) => {
    const before = code.slice(code.lastIndexOf('\n', match.index) + 1, match.index)
    // A group of tests is a heading, not a function.
    if (/^\s*describe\b/.test(before)) return []
    const name = /([\w$]+)(?:\s*[:=]\s*(?:async\s*)?(?:<[^()]*>)?\()/.exec(before)?.[1] ?? 'an arrow function'
    return [measure(name, match.index, match.index + match[0].length)]
  })
  return [...declared, ...arrows]
}

const pairs: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }

/** Where the bracket that opens here closes. */
export function closingOf(code: string, open: number): number {
  const opening = code[open] ?? ''
  const closing = pairs[opening]
  let depth = 0
  for (let at = open; at < code.length; at++) {
    if (code[at] === opening) depth += 1
    if (code[at] === closing) depth -= 1
    if (depth === 0) return at
  }
  return code.length
}

/** Where the body starts that follows a list of parameters, with or without a return type; undefined without a body. */
function bodyOf(code: string, afterParameters: number): number | undefined {
  let at = afterParameters
  let last = ')'
  while (at < code.length) {
    const character = code[at] ?? ''
    const awaitsType = ':|&<,?'.includes(last) || last === '=>'
    if (character === '\n' && !awaitsType && !/^\s*[|&]/.test(code.slice(at))) return undefined
    if (last === ')' && at === afterParameters && !/^\s?[:{]/.test(code.slice(at))) return undefined
    if (character === '{' && !awaitsType) return at
    if (Object.hasOwn(pairs, character)) {
      at = closingOf(code, at)
      last = code[at] ?? ''
    } else if (/\S/.test(character)) last = character === '>' && last === '=' ? '=>' : character
    at += 1
  }
  return undefined
}
