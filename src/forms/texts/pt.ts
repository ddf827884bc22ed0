import type { Texts } from './en.ts'

export const pt: Texts = {
  title: 'Verificação',
  languages: 'Idioma',
  loading: 'Carregando seu formulário…',
  loadFailed: 'Não foi possível carregar o formulário. Verifique sua conexão e recarregue esta página.',
  noScript: [
    'O JavaScript está desativado',
    'Este formulário precisa de JavaScript. Ative-o no seu navegador e abra seu link novamente.',
  ],
  sessionEnded: [
    'Abra seu link novamente',
    'Para sua segurança, este formulário é fechado após 30 minutos. Suas respostas estão salvas: abra o link que recebeu e continue.',
  ],
  tooMany: ['Aguarde um momento', 'Houve solicitações demais a partir da sua rede. Tente novamente em um minuto.'],
  unavailable: ['O formulário não está disponível', 'Tente novamente em alguns minutos.'],
  notBuilt: [
    'O formulário não está disponível',
    'Tente novamente em alguns minutos. O operador precisa primeiro gerar as páginas.',
  ],
  badLink: [
    'Este link não funciona',
    'Ele pode estar incompleto ou ter sido substituído por um mais recente. Peça um novo link à empresa que o enviou.',
  ],
  notHere: [
    'Este formulário não pode ser exibido aqui',
    'A empresa que lhe enviou o link não conhece a página ao redor. Abra o link em uma janela própria.',
  ],
  noCookies: [
    'Abra esta página em uma janela própria',
    'Seu navegador não guarda cookies de uma página dentro de outra e, sem eles, ela não pode ser mostrada aqui com segurança.',
  ],
  openWindow: 'Abrir em uma nova janela',
  help: 'Ajuda',
  noFile: ['Arquivo não encontrado', 'Este arquivo não existe.'],
  bank: {
    title: 'Conta bancária',
    sessionEnded: [
      'Abra seu link novamente',
      'Para sua segurança, este formulário é fechado após 30 minutos. Abra o link que recebeu e continue.',
    ],
  },
}
