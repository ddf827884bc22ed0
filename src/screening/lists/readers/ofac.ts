import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import path from 'node:path'
import { setImmediate as yieldEventLoop } from 'node:timers/promises'
import { ListProblem } from '../csv.ts'
import type { ListReader } from './reader.ts'
import { createListReader, type ListFile, listFiles } from './sdn.ts'

const maxLineLength = 1_000_000
const linesPerStep = 500

/** A reader of the lists that OFAC publishes as CSV. Its lists have the same form and files of other names. */
export function ofacReader(fileNames: Readonly<Record<ListFile, string>>): ListReader {
  const required = (Object.keys(listFiles) as ListFile[]).filter((file) => listFiles[file].isRequired)
  // As published they are SDN.CSV and ALT.CSV.
  const findIn = (names: readonly string[], file: ListFile) =>
    names.find((each) => each.toLowerCase() === fileNames[file])
  return {
    files: `${required.map((file) => fileNames[file]).join(' and ')}, and ${fileNames['sdn_comments.csv']} if there is one`,
    recognizes: (names) => findIn(names, 'sdn.csv') !== undefined,
    read: async ({ folder, names }) => {
      const reader = createListReader(fileNames)
      for (const file of Object.keys(listFiles) as ListFile[]) {
        const name = findIn(names, file)
        if (name) await readLines(path.join(folder, name), name, (at, line) => reader.readLine(file, at, line))
        else if (listFiles[file].isRequired)
          throw new Error(`There is no ${fileNames[file]} in ${folder}. Nothing was imported.`)
      }
      return { entries: reader.finish(), unread: reader.findUnread() }
    },
  }
}

/** Reads a file line by line and lets other work of this process run after every 500 lines. */
async function readLines(place: string, file: string, onLine: (number: number, line: string) => void): Promise<void> {
  let rest: Buffer = Buffer.alloc(0)
  let number = 0
  const takeLine = async (bytes: Buffer) => {
    number += 1
    // The lists were published in Latin-1 for years, and are in UTF-8 now.
    onLine(number, bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1'))
    if (number % linesPerStep === 0) await yieldEventLoop()
  }
  for await (const part of createReadStream(place) as AsyncIterable<Buffer>) {
    let text = rest.length > 0 ? Buffer.concat([rest, part]) : part
    for (let end = text.indexOf(10); end !== -1; end = text.indexOf(10)) {
      await takeLine(text.subarray(0, end))
      text = text.subarray(end + 1)
    }
    if (text.length > maxLineLength) throw new ListProblem(file, number + 1, `exceeds ${maxLineLength} bytes`)
    rest = text
  }
  if (rest.length > 0) await takeLine(rest)
}
