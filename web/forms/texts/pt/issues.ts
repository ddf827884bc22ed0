import type { Texts } from '../en.ts'

const otherName = 'Verifique “{field}”: difere do nome que nos foi informado. Corrija se estiver errado.'
const enter = 'Informe “{field}”.'
const upload = 'Envie também “{field}”.'

export const issues: Texts['issues'] = {
  DOCUMENT_MISSING_BACK: 'Envie também uma imagem do verso do documento de identidade.',
  DOCUMENT_MISSING_FRONT: 'Envie também uma imagem da frente do documento de identidade.',
  DOCUMENT_NUMBER_UNREADABLE:
    'Não foi possível ler o número do documento. Envie uma imagem mais nítida e sem reflexos.',
  DOC_QUALITY_POOR:
    'A imagem do documento não está clara o suficiente. Envie uma imagem nítida e colorida com os quatro cantos.',
  NAME_UNREADABLE: 'Não foi possível ler o nome no documento. Envie uma imagem mais nítida e sem reflexos.',
  NO_FACE_PORTRAIT: 'Não foi possível ver a foto do documento. Envie uma imagem do lado com a foto.',
  MISSING_ID_DETAILS: 'Complete os dados do documento de identidade: tipo, número e país emissor.',
  DOCUMENT_EXPIRED: 'O documento está vencido. Envie um que esteja dentro da validade.',
  NO_GOVERNMENT_ID: 'Envie um documento oficial com foto, como um passaporte ou uma carteira de identidade.',
  DOCUMENT_NOT_FOUND: 'Não encontramos um documento no arquivo. Envie uma imagem do documento inteiro.',
  UNREADABLE_DOCUMENT: 'Não foi possível ler o documento. Envie uma imagem nítida em que nada esteja coberto.',
  UNRECOGNIZED_DOCUMENT: 'Não reconhecemos este tipo de documento. Envie um passaporte ou uma carteira de identidade.',
  MISSING_DOCUMENT_NUMBER: 'Informe o número do documento.',
  MISSING_ISSUE_DATE: 'Informe a data de emissão do documento.',
  MISSING_EXPIRY_DATE: 'Informe a data de validade do documento.',
  DOCUMENT_FRONT_OR_BACK_MISSING: 'Falta um lado do documento. Envie imagens da frente e do verso.',
  DOCUMENT_BACK_MISSING: 'Falta o verso do documento. Envie uma imagem dele.',
  ID_REQUIRES_ADDITIONAL_VERIFICATION:
    'Precisamos de mais um documento. Verifique o endereço e envie um comprovante recente.',
  DATABASE_CHECK_FAILED_ON_STREET_NAME: 'Não foi possível confirmar a rua. Verifique a rua e o número.',
  DATABASE_CHECK_FAILED_ON_CITY: 'Não foi possível confirmar a cidade. Verifique o nome e a grafia.',
  DATABASE_CHECK_FAILED_ON_SUBDIVISION:
    'Não foi possível confirmar o estado, a região ou a província. Verifique se corresponde ao endereço.',
  DATABASE_CHECK_FAILED_ON_POSTAL_CODE:
    'Não foi possível confirmar o código postal. Verifique se corresponde ao endereço.',
  ADDRESS_TOO_SHORT: 'O endereço está incompleto. Informe a rua com número, a cidade e o código postal.',
  ADDRESS_DOCUMENT_DOCUMENT_NOT_ISSUED_RECENTLY:
    'O comprovante de endereço é antigo demais. Envie um emitido nos últimos 3 meses.',
  ADDRESS_DOCUMENT_MISSING_NAME: 'O comprovante de endereço não mostra um nome. Envie um com o nome completo.',
  ADDRESS_DOCUMENT_MISSING_ADDRESS:
    'O comprovante de endereço não mostra um endereço. Envie um com o endereço completo.',
  ADDRESS_DOCUMENT_UNRECOGNIZED_DOCUMENT:
    'Não podemos aceitar este documento como comprovante de endereço. Envie uma conta de consumo, um extrato bancário ou uma carta de um órgão público.',
  ADDRESS_DOCUMENT_NAME_VERIFICATION_FAILED:
    'O nome no comprovante de endereço difere do nome informado. Corrija o que estiver errado.',
  ID_DATA_MISMATCH:
    'Alguns dados informados diferem do documento de identidade. Informe-os exatamente como constam nele.',
  INVALID_PARAMETERS:
    'Algumas informações faltam ou não são válidas. Verifique todos os campos e corrija o que estiver errado.',
  INCORRECT_ID_TYPE: 'O tipo escolhido não corresponde ao documento. Escolha o tipo correto ou envie outro documento.',
  ID_COUNTRY_MISMATCH: 'O país informado não é o que emitiu o documento. Verifique o país.',
  GOVERNMENT_ID_VERIFICATION_FAILED:
    'Não foi possível verificar o documento. Envie imagens claras dele ou de outro documento.',
  DATABASE_CHECK_FAILED_ON_NAME_FIRST:
    'Não foi possível confirmar o nome. Informe-o exatamente como consta no documento de identidade.',
  DATABASE_CHECK_FAILED_ON_NAME_LAST:
    'Não foi possível confirmar o sobrenome. Informe-o exatamente como consta no documento de identidade.',
  DATABASE_CHECK_FAILED_ON_SOCIAL_SECURITY_NUMBER:
    'Não foi possível confirmar o número da previdência social. Verifique o número.',
  INCONSISTENT_INFORMATION: 'Alguns campos se contradizem. Verifique todos os campos e corrija o que estiver errado.',
  INCONSISTENT_DETAILS: 'Alguns dados diferem entre os documentos. Verifique os dados e os documentos.',
  VERIFICATION_ISSUE: 'Não foi possível concluir a verificação. Entre em contato com o atendimento.',
  API_ERROR: 'Um problema técnico do nosso lado atrasa a verificação. Se demorar, entre em contato com o atendimento.',
  NAME_VERIFICATION_FAILED:
    'Não foi possível confirmar o nome. Informe o nome completo exatamente como consta no documento de identidade.',
  ID_TYPE_MISMATCH: 'O documento enviado não é do tipo escolhido. Escolha o tipo do documento enviado.',
  BIRTH_DATE_MISMATCH:
    'Não foi possível confirmar a data de nascimento. Informe-a exatamente como consta no documento de identidade.',
  ID_NUMBER_NOT_VERIFIED: 'Não foi possível confirmar o número do documento. Verifique o número.',
  MISSING_NAME: 'O nome está incompleto. Informe o nome completo exatamente como consta no documento de identidade.',
  ID_NOT_ALLOWED: 'Não podemos aceitar este documento. Envie outro, por exemplo um passaporte.',
  SCREEN_DETECTED: 'Fotografe o próprio documento, não uma tela, e não envie uma captura de tela.',
  DATABASE_LOOKUP_ISSUE:
    'Não foi possível consultar informações de que precisamos. Se a verificação demorar, entre em contato com o atendimento.',
  THIRD_PARTY_API_FAILED:
    'Um serviço do qual dependemos não respondeu. Se a verificação demorar, entre em contato com o atendimento.',
  API_DATA_REQUIREMENTS_NOT_MET: 'Precisamos de mais informações. Preencha os campos que ainda estão vazios.',
  ID_WARNING: 'Estamos analisando o documento. Em caso de dúvidas, entre em contato com o atendimento.',
  ADDITIONAL_WARNING: 'Estamos analisando sua solicitação. Em caso de dúvidas, entre em contato com o atendimento.',
  WORKFLOW_CONFIG_ERROR:
    'Esta verificação não está configurada corretamente do nosso lado. Entre em contato com o atendimento.',
}

export const issuesAbout: Texts['issuesAbout'] = {
  DOCUMENT_MISSING_BACK: upload,
  DOCUMENT_MISSING_FRONT: upload,
  MISSING_ID_DETAILS: enter,
  MISSING_DOCUMENT_NUMBER: enter,
  MISSING_ISSUE_DATE: enter,
  MISSING_EXPIRY_DATE: enter,
  ID_REQUIRES_ADDITIONAL_VERIFICATION:
    'Verifique “{field}”: uma caixa postal não basta. Informe onde você mora ou trabalha, ou envie um comprovante de endereço recente.',
  DATABASE_CHECK_FAILED_ON_POSTAL_CODE:
    'Não foi possível confirmar “{field}”. Verifique se corresponde à cidade e ao estado.',
  INVALID_PARAMETERS: 'Verifique “{field}”: o valor não é válido.',
  INCONSISTENT_INFORMATION: 'Verifique “{field}”: há informações que se contradizem.',
  INCONSISTENT_DETAILS: 'Verifique “{field}”: não combina com as outras datas.',
  BIRTH_DATE_MISMATCH:
    'Não foi possível confirmar “{field}”. Informe exatamente como consta no documento de identidade.',
  ID_NUMBER_NOT_VERIFIED: 'Não foi possível confirmar “{field}”. Verifique.',
  MISSING_NAME: 'Informe “{field}” exatamente como consta no documento de identidade.',
  API_DATA_REQUIREMENTS_NOT_MET: 'Informe “{field}”.',
}

export const exactIssues: Texts['exactIssues'] = {
  'API_DATA_REQUIREMENTS_NOT_MET associatedPersons':
    'Adicione as pessoas que possuem ou controlam a empresa, com suas participações.',
  'API_DATA_REQUIREMENTS_NOT_MET businessDocuments': 'Adicione um documento da empresa.',
  'INCONSISTENT_INFORMATION associatedPersons':
    'Verifique as participações dos sócios: no total, no máximo 100%, todas em porcentagem ou todas em frações de um.',
  'INVALID_PARAMETERS phoneNumber':
    'Verifique “{field}”: até onde sabemos, esse país não tem um número assim. Se estiver correto, deixe-o como está.',
  'ID_DATA_MISMATCH legalFirstName': otherName,
  'ID_DATA_MISMATCH legalLastName': otherName,
  'ID_DATA_MISMATCH legalBusinessName': otherName,
}
