import { readHanja } from './hanja.ts'
import { spellHanzi } from './hanzi.ts'
import { looksJapanese, readJapanese, spellKana } from './japanese.ts'
import { spellHangul } from './korean.ts'
import { unmask } from './look-alikes.ts'

/** The ways to read a name. `isSure` is false when a reading is missing: a person must look at the name. */
export type Readings = { texts: readonly string[]; isSure: boolean }

const han = /\p{Script=Han}/u
const kana = /[\p{Script=Hiragana}\p{Script=Katakana}]/u
const legalForms =
  /株式会社|有限会社|合同会社|(?:股份)?有限责任公司|股份有限公司|有限公司|股份公司|集团公司|公司|集团|集團|주식회사|유한회사|\(주\)|㈜|شركة|مؤسسة|شرکت/gu

/** Reads a name in each way that it can be read: Chinese characters are read differently by nationality. */
export function readName(name: string): Readings {
  const visible = unmask(name)
  if (!/[^\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Common}\p{Script=Inherited}]/u.test(visible))
    return { texts: [visible], isSure: true }
  const plain = spellHangul(visible.replaceAll(legalForms, ' '))
  if (!han.test(plain)) return { texts: [kana.test(plain) ? spellKana(plain) : plain], isSure: true }
  const japanese = readJapanese(plain)
  const chinese = kana.test(plain) ? undefined : spellHanzi(plain)
  const korean = readHanja(plain)
  const isChinese = chinese !== undefined && !han.test(chinese)
  const texts = [...(isChinese ? [chinese] : []), ...korean, ...japanese]
  const isSure = looksJapanese(plain) ? japanese.length > 0 : isChinese || japanese.length > 0
  return { texts: texts.length > 0 ? texts : [plain], isSure }
}
