import type { Texts } from '../en.ts'

const phone = 'Informe o número de telefone com o código do país, como +1 415 555 0123'
const website = 'Informe um endereço web como https://example.com'
const email = 'Informe um e-mail como nome@example.com'
const number = '{field}: informe um número, como 25 ou 12.5'
const choose = '{field}: escolha uma opção da lista'
const fill = 'Preencha: {field}'

export const problems: Texts['problems'] = {
  byName: { phoneNumber: phone, website, email, ownershipPercentage: number },
  byRule: {
    REQUIRED: fill,
    TOO_LONG: '{field}: encurte a resposta',
    'TOO_LONG: {demand}': '{field}: encurte a resposta para {characters}',
    TOO_SHORT: '{field}: informe pelo menos {characters}',
    DATE: '{field}: informe uma data real, com dia, mês e ano de quatro dígitos',
    POSTAL_CODE: '{field}: neste país tem o formato {demand}',
    POSTAL_CODE_LETTERS: '{field}: use no máximo 20 letras, dígitos, espaços e hifens',
    REGION: choose,
    NATIONAL_ID: '{field}: informe país, tipo e número juntos ou deixe os três vazios',
    COUNTRY: '{field}: escolha um país da lista',
    PHONE_NUMBER: phone,
    WEB_ADDRESS: website,
    EMAIL: email,
    NUMBER: number,
    CHOICE: choose,
  },
  invalid: '{field}: esta resposta não pode ser aceita. Verifique-a',
  impossibleDate: '{field}: esta data não pode estar correta. Verifique o dia, o mês e o ano',
  refused:
    '{field}: não foi possível salvar sua última alteração. Verifique o que consta aqui agora e informe novamente se necessário',
  missing: { fill, choose: 'Escolha: {field}', add: 'Adicione: {field}' },
  noControlPerson:
    'Uma pessoa precisa controlar a empresa, por exemplo como administradora: edite essa pessoa e responda “Sim”',
}

export const refusedFiles: Texts['files']['refused'] = {
  FILE_SIZE: 'O arquivo é pequeno ou grande demais: deve ter de 100 KB a 10 MB. Escolha outro.',
  FILE_TYPE: 'Este tipo de arquivo não pode ser usado. Escolha uma foto (JPG, PNG, HEIC, WebP) ou um PDF.',
  FILE_DAMAGED: 'O arquivo está danificado e não pode ser aberto. Escolha outro.',
  FILE_PIXELS: 'A imagem é pequena ou grande demais. Tire uma nova foto do documento.',
  FILE_ANIMATED: 'A imagem é animada. Escolha uma imagem estática.',
  FILE_PASSWORD: 'O arquivo está protegido por senha. Remova a senha ou tire uma foto do documento.',
  FILE_PAGES: 'O arquivo tem páginas demais: o máximo é 50. Escolha um mais curto.',
  FILE_CONTENT:
    'O arquivo contém partes que não podemos aceitar. Imprima-o em um novo PDF ou tire uma foto do documento.',
}
