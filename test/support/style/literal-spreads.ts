import { closingOf } from './function-lengths.ts'
import { lineOf, type SourceFile, type Violation } from './source-tree.ts'

/** A spread of an object or array that is written out in place; `at` is the first of its three dots. */
export type LiteralSpread = { at: number; literal: { open: number; close: number } }

/** Calls that copy a literal, so that spreading their result is spreading the literal. */
const copying = /^(?:Object\s*\.\s*(?:assign|freeze|seal|fromEntries)|structuredClone|Array\s*\.\s*of)\s*\(/

/**
 * Finds every unconditional `...{ a, b }` and `...[a, b]`, with or without brackets and type assertions around it. A
 * conditional one (`...(x ? { a } : {})`, `...(x && { a })`) and a method's result (`...[a, b].map(f)`) are values.
 */
export function findLiteralSpreads({ code }: Pick<SourceFile, 'code'>): LiteralSpread[] {
  return [...code.matchAll(/\.\.\.\s*/g)].flatMap((match) => {
    const literal = literalAt(code, match.index + match[0].length)
    return literal === undefined ? [] : [{ at: match.index, literal }]
  })
}

function literalAt(code: string, start: number): LiteralSpread['literal'] | undefined {
  if (code[start] === '(') {
    const close = closingOf(code, start)
    if (isContinued(code, close + 1)) return undefined
    const parts = splitAtCommas(code, start + 1, close)
    return literalAt(code, parts.at(-1) ?? close)
  }
  if (code[start] === '{' || code[start] === '[') {
    const close = closingOf(code, start)
    return isContinued(code, close + 1) ? undefined : { open: start, close }
  }
  const condition = alwaysTrue.exec(code.slice(start, start + 60))?.[0]
  if (condition !== undefined) return { open: start, close: start + condition.length }
  const call = copying.exec(code.slice(start, start + 60))
  if (!call) return undefined
  const open = start + call[0].length - 1
  const close = closingOf(code, open)
  const isCopy = /^Array/.test(call[0]) || splitAtCommas(code, open + 1, close).some((part) => literalAt(code, part))
  return isCopy && !isContinued(code, close + 1) ? { open, close } : undefined
}

/** A condition that always holds is none. */
const alwaysTrue = /^(?:true|!0|1)\s*(?:&&|\?)\s*/

/**
 * Whether the value is computed further, by a member or a call, or is a pattern that takes a value apart. A type assertion
 * changes no value, and an operator after a literal decides nothing: `{ a } ?? b` is `{ a }`.
 */
function isContinued(code: string, after: number): boolean {
  return /^\s*(?:\?\.|\.(?!\.)|\[|\(|=|:)/.test(code.slice(after, after + 40))
}

/** Where each part begins of what stands between two brackets, separated by commas. */
function splitAtCommas(code: string, from: number, to: number): number[] {
  const begins = [from]
  for (let at = from; at < to; at++) {
    if ('([{'.includes(code[at] ?? ' ')) at = closingOf(code, at)
    else if (code[at] === ',') begins.push(at + 1)
  }
  return begins.map((begin) => begin + (code.slice(begin).match(/^\s*/)?.[0].length ?? 0)).filter((at) => at < to)
}

/** `Object.assign({}, …)` and `[…].concat([…])` are the same packing under another name. */
const packing = /\bObject\s*\.\s*assign\s*\(\s*[{[]|(?<!\bBuffer\s*)\.\s*concat\s*\(\s*\[/g

/** A value is written where it is used: a literal is never spread to put several properties on one line. */
export function literalSpreads(files: readonly SourceFile[]): Violation[] {
  return files.flatMap((file) => {
    const spreads = findLiteralSpreads(file)
    const isInside = (at: number) => spreads.some((each) => each.at < at && at < each.literal.open)
    const packed = [...file.code.matchAll(packing)].map((match) => match.index).filter((at) => !isInside(at))
    return [...spreads.map(({ at }) => at), ...packed].map((at) => {
      const shown = file.text.slice(at).split('\n')[0]?.slice(0, 40).trim()
      const problem = `packs a literal ("${shown}"): write its parts where they are used, the formatter breaks the lines`
      return { key: file.path, path: file.path, line: lineOf(file, at), problem }
    })
  })
}
