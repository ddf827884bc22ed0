import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { ListReader } from './reader.ts'
import { readUnList } from './un-list.ts'

const isXml = (name: string) => name.toLowerCase().endsWith('.xml')

/** The consolidated list of the Security Council of the United Nations, as it is published in XML. */
export const unReader: ListReader = {
  files: 'one file that ends in .xml',
  recognizes: (names) => names.filter(isXml).length === 1,
  read: async ({ folder, names }) => {
    const [file, ...others] = names.filter(isXml)
    if (!file || others.length > 0) throw new Error(`There must be one .xml file in ${folder}. Nothing was imported.`)
    return readUnList(file, await readFile(path.join(folder, file)))
  },
}
