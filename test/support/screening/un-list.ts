/** An invented entry of the list of the United Nations. */
export type UnEntry = {
  reference: string
  names: readonly string[]
  aliases?: readonly [quality: string, name: string][]
  original?: string
  births?: readonly string[]
  documents?: readonly string[]
}

/** The published form in XML. Births and documents are the XML inside their elements. */
export function unXml(people: readonly UnEntry[], bodies: readonly UnEntry[] = []): string {
  const parts = ['FIRST_NAME', 'SECOND_NAME', 'THIRD_NAME', 'FOURTH_NAME']
  const write = (kind: 'INDIVIDUAL' | 'ENTITY') => (entry: UnEntry, at: number) =>
    `
    <${kind}>
      <DATAID>${6_900_000 + at}</DATAID>
      <VERSIONNUM>1</VERSIONNUM>
      ${entry.names.map((name, part) => `<${parts[part]}>${name}</${parts[part]}>`).join('\n      ')}
      <UN_LIST_TYPE>DRC</UN_LIST_TYPE>
      <REFERENCE_NUMBER>${entry.reference}</REFERENCE_NUMBER>
      <LISTED_ON>2012-11-12</LISTED_ON>
      ${entry.original ? `<NAME_ORIGINAL_SCRIPT>${entry.original}</NAME_ORIGINAL_SCRIPT>` : ''}
      <COMMENTS1>Invented &amp; harmless</COMMENTS1>
      ${(entry.aliases ?? [['', '']]).map(([quality, name]) => `<${kind}_ALIAS><QUALITY>${quality}</QUALITY><ALIAS_NAME>${name}</ALIAS_NAME></${kind}_ALIAS>`).join('')}
      ${(entry.births ?? ['<TYPE_OF_DATE/>']).map((birth) => `<${kind}_DATE_OF_BIRTH>${birth}</${kind}_DATE_OF_BIRTH>`).join('')}
      ${(entry.documents ?? []).map((document) => `<${kind}_DOCUMENT>${document}</${kind}_DOCUMENT>`).join('')}
      <${kind}_DOCUMENT/>
      <SORT_KEY/>
    </${kind}>`
  return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<CONSOLIDATED_LIST xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" dateGenerated="2026-02-27T00:00:09.554Z">
  <INDIVIDUALS>${people.map(write('INDIVIDUAL')).join('')}</INDIVIDUALS>
  <ENTITIES>${bodies.map(write('ENTITY')).join('')}</ENTITIES>
</CONSOLIDATED_LIST>
`
}
