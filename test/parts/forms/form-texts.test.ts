import { expect, test } from 'vitest'
import { languages } from '../../../src/forms/texts/languages.ts'

type Node = string | readonly Node[] | ((...given: unknown[]) => string) | { readonly [key: string]: Node }

/** Every text of a catalog with its path; functions say theirs about marks. */
function textsOf(node: Node, path = ''): [path: string, text: string][] {
  if (typeof node === 'string') return [[path, node]]
  if (typeof node === 'function') return [[path, node('{first}', '{second}', '{third}')]]
  return Object.entries(node).flatMap(([key, each]) => textsOf(each as Node, `${path}/${key}`))
}

const placeholdersOf = (text: string) => [...new Set(text.match(/\{\w+\}/g))].sort()
/** Forms of a count and titles differ between languages. */
const isFree = (path: string) => path.startsWith('/characters/')

const read = async (code: string) => {
  const address = code === 'en' ? '../../../web/forms/texts/en.ts' : `../../../web/forms/texts/${code}/${code}.ts`
  return ((await import(address)) as Record<string, Node>)[code] as Node
}

test('every language says everything, and keeps the places of values', async () => {
  const english = new Map(textsOf(await read('en')))
  for (const { code, texts } of languages) {
    const own = new Map(textsOf(await read(code)))
    const wanted = [...english.keys()].filter((path) => !isFree(path))
    expect([code, [...own.keys()].filter((path) => !isFree(path)).sort()]).toEqual([code, wanted.sort()])
    const wrong = wanted.filter((path) => {
      const [text = '', source = ''] = [own.get(path), english.get(path)]
      return text.trim() === '' || String(placeholdersOf(text)) !== String(placeholdersOf(source))
    })
    expect([code, wrong]).toEqual([code, []])
    expect(textsOf(texts as unknown as Node).filter(([, text]) => text.trim() === '')).toEqual([])
  }
})

test('a language has no text of another one', async () => {
  const english = new Map(textsOf(await read('en')))
  for (const { code } of languages.filter(({ code: each }) => each !== 'en')) {
    const own = textsOf(await read(code))
    // A sentence is never the same in two languages. Names and short words can be.
    const same = own.filter(([path, text]) => text.split(' ').length > 3 && english.get(path) === text)
    expect([code, same]).toEqual([code, []])
  }
})
